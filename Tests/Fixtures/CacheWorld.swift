import Foundation
import RESTKit
import Streams
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An API with a cache, a server that a test speaks for, and a clock that it moves.
final class CacheWorld: Sendable {
  typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  struct API: RESTAPI {
    let baseURL = "https://api.example.com"
    let transport: any Transport
    var cache: HTTPCache?
    var coalescer: RequestCoalescer?
    var session: TokenSession?
    var retry: RetryPolicy?
    let secretHeaders = ["X-Tenant"]
  }

  static let start = Date(timeIntervalSince1970: 1_800_000_000)

  let scheduler = TestScheduler()
  let transport: HeldTransport
  let cache: HTTPCache
  private let coalescer: RequestCoalescer?

  init(
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

  var api: API { API(transport: transport, cache: cache, coalescer: coalescer) }

  func wait(_ seconds: Int) { scheduler.advance(by: .seconds(seconds)) }

  @discardableResult
  func begin<P: Publisher>(_ publisher: P) -> TestSubscriber<P.Output, P.Failure> {
    let subscriber = TestSubscriber<P.Output, P.Failure>()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  /// Begins a GET.
  @discardableResult
  func get(_ path: String = "a", _ fields: [String: String] = [:]) -> Subscriber {
    begin(api.get(endpoint: path) { $0.adding(fields) })
  }

  /// A GET that the server answers at once.
  ///
  /// - Returns: Its response; nil where nothing was sent, or nothing came.
  @discardableResult
  func fetch(
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
  var lastRequest: URLRequest? { transport.requests.last }

  /// The value of a field in each request that was sent.
  func sent(_ name: String) -> [String?] {
    transport.requests.map { $0.value(forHTTPHeaderField: name) }
  }
}

extension URLRequest {
  func adding(_ fields: [String: String]) -> URLRequest {
    var request = self
    for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
    return request
  }
}

extension RESTResponse {
  /// The body as text.
  var text: String { String(decoding: data, as: UTF8.self) }
}
