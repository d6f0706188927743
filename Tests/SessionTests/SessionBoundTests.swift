import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("The bounds of a session's refreshes, and the responses that cause them", .leakFree)
struct SessionBoundTests {
  private let world = SessionWorld()

  @Test("TR-11 A 401 after the refresh is an error with the body, and causes no second refresh")
  func secondRefusal() throws {
    world.server.expireTokens()
    world.server.refuseNewTokens()
    let call = world.call("a")
    world.scheduler.run()

    let error = try #require(call.failure as? RESTError)
    #expect(error.kind == .status(401))
    #expect(error.body == Data(#"{"error": "invalid_token"}"#.utf8))
    #expect(error.attempts == 2)
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-11 One call has one refresh, even with a retry in between: 401, 503, 401")
  func retryInBetween() {
    world.server.expireTokens()
    world.server.refuseNewTokens()
    let session = world.session
    let call = LogicalCallProbe()
    // The behavior of a retry policy: subscribe again, in the same call.
    let first = world.begin(call.attempt(session.authorize(world.api.get(endpoint: "a"))))
    world.scheduler.run()
    let second = world.begin(call.attempt(session.authorize(world.api.get(endpoint: "a"))))
    world.scheduler.run()

    #expect([first.outcome, second.outcome] == ["status(401)", "status(401)"])
    #expect(world.server.tokens(at: "a") == ["t0", "t1", "t1"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-11 A stage before the session that turns statuses into errors changes nothing")
  func validated() throws {
    world.server.expireTokens()
    world.server.refuseNewTokens()
    let call = world.begin(world.session.authorize(world.api.get(endpoint: "a").validateStatus()))
    world.scheduler.run()
    #expect(call.outcome == "status(401)")
    #expect(world.server.tokens(at: "a") == ["t0", "t1"])
  }

  @Test("TR-12 A server that refuses each new token gets a bounded number of refreshes")
  func storm() throws {
    world.server.expireTokens()
    world.server.refuseNewTokens()
    let outcomes = (1...8).map { _ in
      let call = world.call("a")
      world.scheduler.run()
      return call.outcome
    }
    #expect(world.server.refreshes == 5)
    #expect(outcomes.prefix(5) == Array(repeating: "status(401)", count: 5)[...])
    #expect(outcomes.suffix(3) == Array(repeating: "newTokensRefused", count: 3)[...])

    world.scheduler.advance(by: .seconds(60))
    world.call("a")
    world.scheduler.run()
    #expect(world.server.refreshes == 6)
  }

  @Test("TR-12 Tokens that the API accepts before they expire do not count as refused")
  func shortLives() {
    for _ in 1...20 {
      world.server.expireTokens()
      let call = world.call("a")
      world.scheduler.run()
      #expect(call.outcome == "200")
    }
    #expect(world.server.refreshes == 20)
  }

  @Test("TR-12 A new token that the API accepts once resets the count")
  func storms() {
    let world = SessionWorld(options: TokenSessionOptions(refusalLimit: 3))
    for _ in 1...3 {
      // Refused before the API took it, and refused after that.
      world.server.expireTokens()
      world.server.answer("a", .json("{}", status: 401))
      #expect(outcome(of: world.call("a"), world) == "status(401)")
      world.server.answer("b", .json("{}"))
      #expect(outcome(of: world.call("b"), world) == "200")
      world.server.expireTokens()
      #expect(outcome(of: world.call("c"), world) == "200")
    }
  }

  private func outcome(of call: SessionWorld.Subscriber, _ world: SessionWorld) -> String {
    world.scheduler.run()
    return call.outcome
  }

  @Test("TR-13 A refresh through the same client sends no token, and its 401 ends the refresh")
  func refreshIsNotAuthorized() {
    world.server.expireTokens()
    world.server.answerRefreshes(.json(#"{"error": "invalid_client"}"#, status: 401))
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "failed")
    #expect(world.server.tokens(at: "auth/refresh") == [nil])
  }

  @Test("TR-13 A refresh that needs its own session's authorization fails at once, without waiting")
  func refreshNeedsItself() throws {
    let box = SessionBox()
    let world = SessionWorld(grant: { server in
      ClosureGrant { _ in
        let request = TestAPI(baseURL: TokenServer.origin, transport: server)
          .post(endpoint: "auth/refresh", body: nil)
        return (box.held?.authorize(request) ?? request).decode(type: TokenResponse.self)
      }
    })
    box.set(world.session)
    world.server.expireTokens()
    let call = world.call("a")
    world.scheduler.advance()
    let error = try #require(call.failure as? TokenSessionError)
    #expect("\(error)".contains("Send it without authorize(_:)"))
    #expect(world.server.refreshes == 0)
    box.set(nil)
  }

  @Test("TR-14 A refresh that hangs ends in time; the next call tries again")
  func hangingRefresh() {
    world.server.expireTokens()
    world.server.answerRefreshes(.never)
    let calls = world.callMany(3)
    world.scheduler.advance(by: .milliseconds(29_999))
    #expect(calls.allSatisfy { $0.outcome == "open" })
    world.scheduler.advance(by: .milliseconds(1))
    #expect(calls.allSatisfy { $0.outcome == "timedOut" })

    let next = world.call("b")
    world.scheduler.run()
    #expect(next.outcome == "200")
    #expect(world.server.refreshes == 2)
  }

  @Test(
    "TR-15 Some responses cause a refresh, and others are the caller's",
    arguments: [
      (401, "Bearer error=\"invalid_token\"", true), (401, nil, true),
      (401, "Bearer", true), (401, "Basic realm=\"x\"", true),
      (401, "Bearer error=\"insufficient_scope\", scope=\"admin\"", false),
      (403, nil, false), (403, "Bearer error=\"insufficient_scope\"", false), (407, nil, false),
      (401, "Bearer error=\"insufficient_user_authentication\", max_age=\"5\"", false),
      (400, nil, false), (419, nil, false), (500, nil, false),
    ] as [(Int, String?, Bool)])
  func answers(status: Int, challenge: String?, refreshes: Bool) {
    world.server.answer(
      "a",
      .json(
        "{}", status: status, headers: challenge.map { ["WWW-Authenticate": $0] } ?? [:]))
    let call = world.call("a")
    world.scheduler.run()
    #expect(world.server.refreshes == (refreshes ? 1 : 0))
    #expect(call.outcome == (refreshes ? "status(401)" : "\(status)"))
    if challenge?.contains("max_age") == true {
      #expect(call.values.first?.headers.challenges.first?.maxAge == .seconds(5))
    }
  }

  @Test("TR-15 A missing scope causes a refresh only with a rule for it")
  func insufficientScope() {
    let world = SessionWorld(
      options: TokenSessionOptions(refusals: .unauthorized.or(.insufficientScope)))
    world.server.answer(
      "a",
      .json("{}", status: 403, headers: ["WWW-Authenticate": "Bearer error=insufficient_scope"]))
    let call = world.call("a")
    world.scheduler.run()
    #expect(world.server.refreshes == 1)
    #expect(call.outcome == "403")
  }

  @Test("TR-16 An error in the body of a 200 causes a refresh only with a rule for it")
  func errorInBody() {
    for (rule, expected) in [
      (.unauthorized, 0), (.unauthorized.or(.errorCode(["expired", "17"], in: "code")), 1),
    ] as [(RefusalRule, Int)] {
      for body in [#"{"code": "expired"}"#, #"{"code": 17, "x": [1, {}]}"#] {
        let world = SessionWorld(options: TokenSessionOptions(refusals: rule))
        world.server.answer("a", .json(body))
        let call = world.call("a")
        world.scheduler.run()
        #expect(world.server.refreshes == expected, "\(body)")
        // Refused again it is the caller's, as it is.
        #expect(call.values.map(\.data) == [Data(body.utf8)])
        #expect(world.server.tokens(at: "a").count == expected + 1)
      }
    }
  }

  @Test("TR-16 Other bodies do not count as error codes")
  func otherBodies() {
    let world = SessionWorld(
      options: TokenSessionOptions(refusals: .errorCode(["expired"])))
    for body in [#"{"error": "other"}"#, #"{"error": null}"#, "[]", "", #"{"errors": "expired"}"#] {
      world.server.answer("a", .json(body))
      world.call("a")
      world.scheduler.run()
    }
    #expect(world.server.refreshes == 0)
  }
}
