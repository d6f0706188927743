import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("ST-13: The journal of requests")
struct StubJournalTests {
  private struct API: RESTAPI {
    let baseURL = base
    let transport: any Transport
  }

  @Test("Requests have their number, the line of their stub, and their outcome")
  func order() throws {
    let line = UInt(#line) + 3
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), statusCode: 404, delay: .seconds(2))
        .thenRespondWith(request: .get("/b"), result: .fault(.connectionRefused))
        .thenRespondWith(request: .get("/c"), delay: .seconds(1)), scheduler: scheduler)
    let first = try stubs.subscriber("/a")
    _ = try stubs.subscriber("/b")
    try stubs.subscriber("/c").cancel()
    _ = try? stubs.text("/x?secret=canary")
    #expect(stubs.journal.map(\.id) == [1, 2, 3, 4])
    #expect(stubs.journal.map(\.outcome) == [.pending, .failed, .cancelled, .failed])
    #expect(stubs.journal.map(\.stub?.line) == [line, line + 1, line + 2, nil])
    scheduler.run()
    #expect(first.isFinished)
    #expect(
      stubs.journal.map(\.description) == [
        "1. GET \(base)/a → 404, attempt 1 (first)",
        "2. GET \(base)/b → failed, attempt 1 (first)",
        "3. GET \(base)/c → cancelled, attempt 1 (first)",
        "4. GET \(base)/x → failed, attempt 1 (first)",
      ])
  }

  @Test("Attempts are counted through retries and redirects, each with its cause")
  func causes() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), statusCode: 503)
        .thenRespondWith(request: .get("/a"), statusCode: 401)
        .thenRespondWith(request: .get("/a"), statusCode: 302, headers: ["Location": "\(base)/b"])
        .thenRespondWith(request: .get("/b")))
    let call = LogicalCall(clock: .immediate)
    let scope = CallScope(of: call)
    let exchange = API(transport: stubs).get(endpoint: "a").context(
      ScopedCall.Key.self, ScopedCall(of: call, scope: scope))
    for cause in [nil, CallCause.retry, .refresh] {
      if let cause { call.beginRepetition(of: scope, cause: cause) }
      exchange.receive(subscriber: TestSubscriber<RESTResponse, any Error>())
    }
    #expect(stubs.journal.map(\.cause) == [.first, .retry, .refresh, .redirect])
    #expect(stubs.journal.map(\.attempt) == [1, 2, 3, 3])
    #expect(stubs.journal.last?.description == "4. GET \(base)/b → 200, attempt 3 (redirect)")
  }

  @Test("A redirect has its cause even without a counted call")
  func redirect() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), statusCode: 302, headers: ["Location": "\(base)/b"])
        .thenRespondWith(request: .get("/b")))
    API(transport: stubs).get(endpoint: "a")
      .receive(subscriber: TestSubscriber<RESTResponse, any Error>())
    #expect(stubs.journal.map(\.cause) == [.first, .redirect])
  }

  @Test("The descriptions of an exchange hold no header value, query or body")
  func secrets() throws {
    let stubs = StubTransport(StubAPIResponse(request: StubRequest()))
    var request = URLRequest(url: try #require(URL(string: base + "/a?q=canary")))
    request.setValue("canary", forHTTPHeaderField: "Authorization")
    request.httpBody = Data("canary".utf8)
    stubs.response(for: request).receive(subscriber: TestSubscriber<RESTResponse, any Error>())
    let exchange = try #require(stubs.journal.first)
    var text = "\(exchange) \(String(reflecting: exchange))"
    dump(stubs.journal, to: &text)
    #expect(!text.contains("canary"))
    #expect(exchange.request.httpBody == Data("canary".utf8))
  }
}
