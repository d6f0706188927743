import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The log of a request that is repeated after a 401")
struct RetryOnceLogTests {
  private static let me = "https://api.example.com/v1/me"
  private static let token = "https://api.example.com/v1/token"

  private let scheduler = TestScheduler()

  private func stubs(_ first: Int, _ second: Int) -> StubTransport {
    StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.me), statusCode: first),
      StubAPIResponse(request: .init(.get, urlString: Self.me), statusCode: second),
      StubAPIResponse(request: .init(.post, urlString: Self.token)).optional())
  }

  /// The lines of each log, in the order in which the calls ended.
  private func logs(of stubs: StubTransport) -> [[String]] {
    let transport = ObservedTransport(stubs, clock: scheduler)
    let logs = TestSubscriber<CallLog, Never>()
    transport.callLogs.subscribe(logs)
    let api = TestAPI(transport: transport)
    let call = api.get(endpoint: "me")
      .retryOnceOnUnauthorizedResponse(chainedRequest: api.post(endpoint: "token", body: nil))
    call.subscribe(TestSubscriber<RESTResponse, any Error>())
    logs.cancel()
    return logs.values.map { log in log.events.map(\.description) }
  }

  @Test("The log has the 401, the refresh as its own call, and the second attempt")
  func refreshed() {
    #expect(
      logs(of: stubs(401, 200)) == [
        ["built POST \(Self.token)", "sent, attempt 1", "answered 200 OK", "ended"],
        [
          "built GET \(Self.me)", "sent, attempt 1", "answered 401 Unauthorized",
          "waits for refresh 1", "refresh 1 brought a token", "built GET \(Self.me)",
          "sent, attempt 2, after a refresh", "answered 200 OK", "ended",
        ],
      ])
  }

  @Test("A second 401 is the failure of the call, after two attempts")
  func refused() throws {
    let lines = try #require(logs(of: stubs(401, 401)).last)
    #expect(
      lines.suffix(4) == [
        "sent, attempt 2, after a refresh", "answered 401 Unauthorized",
        "failed because the server answered 401 Unauthorized", "ended",
      ])
  }

  @Test("The journal of the stubs has the same events")
  func journal() throws {
    let stubs = stubs(401, 200)
    _ = logs(of: stubs)
    let attempts = stubs.journal.filter { $0.request.url?.absoluteString == Self.me }
    #expect(attempts.map(\.attempt) == [1, 2])
  }
}
