import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("A retry policy, and a refresh that fails for now", .leakFree)
struct RetriedRefreshTests {
  private let world = SessionWorld(
    credential: Credential(
      accessToken: "t0", refreshToken: "r0", expiresAt: WallClock.start.addingTimeInterval(-1)))

  private var policy: RetryPolicy { .test(world.scheduler) }

  private func api(_ policy: RetryPolicy) -> TestAPI {
    TestAPI(
      baseURL: TokenServer.origin, transport: world.server, session: world.session, retry: policy)
  }

  @Test("A call waits until the session may ask again, also a POST, of which nothing was sent")
  func repeated() {
    world.server.expireTokens()
    world.server.answerRefreshes(.json("{}", status: 503))
    let get = world.begin(api(policy).get(endpoint: "a"))
    let post = world.begin(api(policy).post(endpoint: "b", body: .data(Data("1".utf8))))
    world.scheduler.advance()
    #expect([get.outcome, post.outcome] == ["open", "open"])
    #expect(world.server.refreshes == 1)
    // The session's pause of 2 s comes first, and then the largest of the policy's first delays.
    world.scheduler.advance(by: .seconds(2))
    #expect(world.server.refreshes == 1)
    world.scheduler.run()
    #expect([get.outcome, post.outcome] == ["200", "200"])
    #expect(world.server.refreshes == 2)
    #expect(world.server.tokens(at: "a") == ["t1"])
    #expect(world.server.tokens(at: "b") == ["t1"])
  }

  @Test("A hundred calls cause one refresh for each pause, until their attempts are used up")
  func storm() {
    world.server.expireTokens()
    world.server.answerRefreshes(
      .json("{}", status: 503), .failure(Self.offline), .json("{}", status: 503),
      .json("{}", status: 503))
    let calls = (1...100).map { world.begin(api(policy).get(endpoint: "a\($0)")) }
    world.scheduler.run()
    #expect(calls.allSatisfy { $0.outcome == "failed" })
    #expect(world.server.refreshes == 3)
    #expect(world.server.calls.count == 3)
  }

  private static let offline = RESTError(
    TransportError(kind: .hostNotFound, mayHaveBeenProcessed: false),
    request: RequestSummary(method: .post, url: nil))

  @Test("A call whose token was refused first is repeated, too, and so is a POST")
  func refusedFirst() {
    let world = SessionWorld()
    for method in [HTTPMethod.put, .post] {
      world.server.expireTokens()
      world.server.answerRefreshes(.json("{}", status: 503))
      let api = TestAPI(
        baseURL: TokenServer.origin, transport: world.server, session: world.session,
        retry: .test(world.scheduler))
      let call = world.begin(
        method == .put
          ? api.put(endpoint: "c", body: .data(Data("1".utf8)))
          : api.post(endpoint: "c", body: .data(Data("1".utf8))))
      world.scheduler.run()
      #expect(call.outcome == "200")
    }
  }

  @Test("A pause that is longer than maxRetryAfter ends the call at once")
  func longPause() {
    world.server.expireTokens()
    world.server.answerRefreshes(.json("{}", status: 503, headers: ["Retry-After": "31"]))
    let call = world.begin(api(policy).get(endpoint: "a"))
    world.scheduler.advance()
    #expect(call.outcome == "failed")
    #expect(world.scheduler.now == .zero)
  }

  @Test("A refresh that took too long is tried again, and one whose server is wrong is not")
  func causes() {
    for (answer, outcome, refreshes) in [
      (TokenServer.ServerResponse.never, "200", 2), (.json("{}", status: 404), "failed", 1),
      (.json("<html>", status: 200), "failed", 1),
    ] {
      let world = SessionWorld()
      world.server.expireTokens()
      world.server.answerRefreshes(answer)
      let api = TestAPI(
        baseURL: TokenServer.origin, transport: world.server, session: world.session,
        retry: .test(world.scheduler))
      let call = world.begin(api.get(endpoint: "a"))
      world.scheduler.run()
      #expect(call.outcome == outcome, "\(answer)")
      #expect(world.server.refreshes == refreshes, "\(answer)")
    }
  }

  @Test("Without a policy, a call fails as its refresh does, at once")
  func noPolicy() {
    world.server.expireTokens()
    world.server.answerRefreshes(.json("{}", status: 503))
    let call = world.call("a")
    world.scheduler.advance()
    #expect(call.outcome == "failed")
  }

  @Test("A sign-out in the wait ends the call at once")
  func signOut() throws {
    world.server.expireTokens()
    world.server.answerRefreshes(.json("{}", status: 503))
    let call = world.begin(api(policy).get(endpoint: "a"))
    world.scheduler.advance(by: .seconds(1))
    try world.session.signOut()
    world.scheduler.advance()
    #expect(call.outcome == "signedOut")
    #expect(world.scheduler.pendingCount == 0)
  }
}
