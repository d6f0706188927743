import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Tracing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An API in virtual time over an observed transport whose responses a test scripts.
struct ObservedShop: Sendable {
  struct API: RESTAPI {
    let baseURL = "https://shop.example/v1"
    let transport: any Transport
    var session: TokenSession?
    var redirects = RedirectPolicy.follow
  }

  struct Order: Endpoint {
    typealias Response = RESTResponse

    let id: Int
    var path: ResourcePath { "orders/\(id)" }
  }

  let scheduler = TestScheduler()
  let stubs: StubTransport
  let transport: ObservedTransport

  init(_ script: StubAPIResponse, _ other: StubAPIResponse? = nil) {
    let scheduler = scheduler
    stubs =
      other.map { StubTransport(script, $0, scheduler: scheduler) }
      ?? StubTransport(script, scheduler: scheduler)
    transport = ObservedTransport(stubs, clock: scheduler)
  }

  var api: API { API(transport: transport) }

  /// A response after 250 ms.
  static func answer(
    _ url: String = "https://shop.example/v1/orders/7", _ status: Int = 200,
    method: HTTPMethod = .get, headers: HTTPHeaders = [:],
    result: Result<Data, any Error> = .json("{}")
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(method, urlString: url), statusCode: status, headers: headers,
      result: result, delay: .milliseconds(250))
  }

  func begin<P: Publisher>(_ publisher: P) -> TestSubscriber<P.Output, P.Failure> {
    let subscriber = TestSubscriber<P.Output, P.Failure>()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  @discardableResult
  func run<P: Publisher>(_ publisher: P) -> TestSubscriber<P.Output, P.Failure> {
    let subscriber = begin(publisher)
    scheduler.run()
    return subscriber
  }
}
