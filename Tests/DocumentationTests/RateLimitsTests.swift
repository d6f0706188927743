import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("The examples of Docs/RateLimits.md")
struct RateLimitsTests {
  private struct PlainAPI: RESTAPI {
    let baseURL = "https://shop.example/v1"
    let transport: any Transport
  }

  private let scheduler = TestScheduler()

  private func answer(_ path: String, _ headers: HTTPHeaders = [:]) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: "https://shop.example/v1/\(path)"), headers: headers)
  }

  @Test("An API's third request in a second waits its turn")
  func api() {
    let transport = StubTransport(answer("a"), answer("b"), answer("c"))
    let shop = RateLimits.shop(over: transport, scheduler: scheduler)
    let calls = ["a", "b", "c"].map { path in
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      shop.get(endpoint: path).receive(subscriber: subscriber)
      return subscriber
    }
    #expect(transport.requests.count == 2)
    scheduler.advance(by: .milliseconds(500))
    #expect(transport.requests.count == 3)
    #expect(calls.allSatisfy { $0.isFinished })
  }

  @Test("A pipeline's limiter follows the server's headers")
  func pipeline() {
    let transport = StubTransport(
      answer("search?q=a", ["RateLimit": #""a";r=0;t=20"#]), answer("search?q=b"))
    let search = RateLimits.Search(
      api: PlainAPI(transport: transport),
      limiter: RateLimiter(10, per: .seconds(1), scheduler: scheduler))
    let calls = ["a", "b"].map { text in
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      search.results(for: text).receive(subscriber: subscriber)
      return subscriber
    }
    #expect(calls.map(\.isFinished) == [true, false])
    scheduler.advance(by: .seconds(20))
    #expect(calls.map(\.isFinished) == [true, true])
  }
}
