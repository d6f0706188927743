import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An API with a cache, a server that a test speaks for, and a clock that it moves.
package final class CacheWorld: Sendable {
  package typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  package static let start = Date(timeIntervalSince1970: 1_800_000_000)

  package let scheduler = TestScheduler()
  package let transport: HeldTransport
  package let cache: HTTPCache
  private let coalescer: RequestCoalescer?

  package init(
    maxBytes: Int = 1 << 20, servesStaleWhenUnreachable: Bool = false,
    coalescer: RequestCoalescer? = nil, transport: HeldTransport = HeldTransport()
  ) {
    let scheduler = scheduler
    cache = HTTPCache(
      maxBytes: maxBytes, servesStaleWhenUnreachable: servesStaleWhenUnreachable,
      date: { Self.start + scheduler.now / .seconds(1) })
    self.coalescer = coalescer
    self.transport = transport
  }

  package var api: TestAPI { Self.api(over: transport, cache: cache, coalescer: coalescer) }

  /// An API of this world's server, with a secret header field.
  package static func api(
    over transport: any Transport, session: TokenSession? = nil, retry: RetryPolicy? = nil,
    cache: HTTPCache? = nil, coalescer: RequestCoalescer? = nil
  ) -> TestAPI {
    TestAPI(
      baseURL: TestAPI.origin, transport: transport, secretHeaders: ["X-Tenant"], session: session,
      retry: retry, cache: cache, coalescer: coalescer)
  }

  package func wait(_ seconds: Int) { scheduler.advance(by: .seconds(seconds)) }

  @discardableResult
  package func begin<P: Publisher>(_ publisher: P) -> TestSubscriber<P.Output, P.Failure> {
    let subscriber = TestSubscriber<P.Output, P.Failure>()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  /// Begins a GET.
  @discardableResult
  package func get(_ path: String = "a", _ fields: [String: String] = [:]) -> Subscriber {
    begin(api.get(endpoint: path) { $0.adding(fields) })
  }

  /// A GET that the server answers at once.
  ///
  /// - Returns: Its response; nil where nothing was sent, or nothing came.
  @discardableResult
  package func fetch(
    _ path: String = "a", _ fields: [String: String] = [:], status: Int = 200,
    headers: HTTPHeaders, body: String? = nil
  ) -> RESTResponse? {
    let before = transport.requests.count
    let subscriber = get(path, fields)
    guard transport.requests.count > before else { return nil }
    transport.answer(before, status, headers: headers, body: body)
    return subscriber.values.first
  }

  /// The latest request.
  package var lastRequest: URLRequest? { transport.requests.last }

  /// The value of a field in each request that was sent.
  package func sent(_ name: String) -> [String?] {
    transport.requests.map { $0.value(forHTTPHeaderField: name) }
  }
}

extension URLRequest {
  package func adding(_ fields: [String: String]) -> URLRequest {
    var request = self
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }
}

extension RESTResponse {
  /// The body as text.
  package var text: String { String(decoding: data, as: UTF8.self) }
}
