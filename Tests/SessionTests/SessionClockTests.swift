import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("The end of a token, under any clocks", .leakFree)
struct SessionClockTests {
  /// The credential that a refresh stores for the given lifetime in its response.
  private func stored(expiresIn: String) throws -> Credential {
    let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
    let world = SessionWorld(store: store)
    world.server.expireTokens()
    world.server.accept("n")
    world.server.answerRefreshes(.json(#"{"accessToken": "n"\#(expiresIn)}"#))
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "200", "\(expiresIn)")
    // A new token is used, with any stated lifetime.
    let next = world.call("b")
    world.scheduler.run()
    #expect(next.outcome == "200", "\(expiresIn)")
    #expect(world.server.refreshes == 1, "\(expiresIn)")
    return try #require(store.read())
  }

  @Test(
    "TR-06 The server's lifetime of a token is read as it is written",
    arguments: [
      (#", "expiresIn": 3600"#, 3600), (#", "expiresIn": "3600""#, 3600),
      (#", "expiresIn": " 60 ""#, 60), (#", "expiresIn": 0.5"#, 0.5),
      (#", "expiresIn": 1e300"#, 315_360_000),
      (#", "expiresIn": 9223372036854775807"#, 315_360_000),
      ("", nil), (#", "expiresIn": 0"#, nil), (#", "expiresIn": -5"#, nil),
      (#", "expiresIn": null"#, nil), (#", "expiresIn": "soon""#, nil),
      (#", "expiresIn": {}"#, nil), (#", "expiresIn": true"#, nil), (#", "expiresIn": "nan""#, nil),
      (#", "expiresIn": "-inf""#, nil), (#", "expiresIn": "inf""#, 315_360_000),
    ] as [(String, Double?)])
  func lifetime(text: String, seconds: Double?) throws {
    let credential = try stored(expiresIn: text)
    #expect(credential.expiresAt == seconds.map { WallClock.start + $0 })
    #expect(credential.accessToken == "n")
    #expect(credential.refreshToken == "r0")
  }

  @Test("TR-06 A lifetime counts from the token's request, and the server's clock is ignored")
  func countsFromRequest() throws {
    let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
    let world = SessionWorld(store: store)
    world.server.expireTokens()
    world.server.accept("n")
    world.server.delay("auth/refresh", by: .seconds(10))
    world.server.answerRefreshes(
      .json(
        #"{"accessToken": "n", "expiresIn": 60}"#,
        headers: ["Date": "Thu, 01 Jan 1970 00:00:00 GMT"]))
    world.call("a")
    world.scheduler.run()
    #expect(store.read()?.expiresAt == WallClock.start + 60)
  }

  /// A world whose token was just renewed and lives for so many seconds.
  private func renewed(livingFor seconds: Int) -> SessionWorld {
    let world = SessionWorld()
    world.server.expireTokens()
    world.server.accept("n", refreshToken: "r0")
    world.server.answerRefreshes(
      .json(#"{"accessToken": "n", "expiresIn": \#(seconds)}"#))
    world.call("first")
    world.scheduler.advance()
    return world
  }

  @Test("TR-06 A wall clock that jumps forward causes one early refresh at most")
  func jumpsForward() {
    let world = renewed(livingFor: 3_600)
    world.clock.jump(by: 86_400)
    for _ in 1...3 {
      let call = world.call("a")
      world.scheduler.advance(by: .seconds(1))
      #expect(call.outcome == "200")
    }
    #expect(world.server.refreshes == 2)
  }

  @Test("TR-06 A wall clock that jumps back does not keep a token beyond its lifetime")
  func jumpsBack() {
    let world = renewed(livingFor: 3_600)
    world.clock.jump(by: -86_400)
    world.scheduler.advance(by: .seconds(3_569))
    world.call("a")
    world.scheduler.advance()
    #expect(world.server.refreshes == 1)
    world.scheduler.advance(by: .seconds(1))
    world.call("b")
    world.scheduler.advance()
    #expect(world.server.refreshes == 2)
  }

  @Test("TR-06 After sleep with a stopped clock the wall clock causes the refresh")
  func slept() {
    let world = renewed(livingFor: 3_600)
    world.clock.jump(by: 3_600)
    let call = world.call("a")
    world.scheduler.advance()
    #expect(call.outcome == "200")
    #expect(world.server.tokens(at: "a") == ["t1"])
  }

  @Test("TR-06 The wall clock alone is enough, to the second")
  func wallClockAlone() {
    let world = renewed(livingFor: 3_600)
    world.clock.jump(by: 3_569)
    world.call("a")
    world.scheduler.advance()
    #expect(world.server.refreshes == 1)
    world.clock.jump(by: 1)
    world.call("b")
    world.scheduler.advance()
    #expect(world.server.refreshes == 2)
  }

  @Test(
    "TR-06 A token whose lifetime is shorter than the leeway is refreshed after half of it",
    arguments: [1, 10])
  func shortLife(seconds: Int) {
    let world = renewed(livingFor: seconds)
    world.scheduler.advance(by: .milliseconds(500 * seconds - 1))
    world.call("a")
    world.scheduler.advance()
    #expect(world.server.refreshes == 1)
    world.scheduler.advance(by: .milliseconds(1))
    world.call("b")
    world.scheduler.advance()
    #expect(world.server.refreshes == 2)
  }

  @Test(
    "TR-06 A stored end out of any range does no harm",
    arguments: [1e11, 1e300, .infinity, .nan])
  func oddDates(seconds: Double) {
    // Not dates as arguments: Foundation traps when it describes such a one.
    let date = Date(timeIntervalSince1970: seconds)
    let world = SessionWorld(
      credential: Credential(accessToken: "t0", refreshToken: "r0", expiresAt: date))
    let call = world.call("a")
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(world.server.refreshes == 0)
  }

  @Test("TR-06 A session knows the lifetime of a stored token by the time of its issue")
  func issued() {
    for (issuedAt, due) in [
      (nil, 0), (-10, 5), (-40, 0), (10, 15), (30, 0), (0, 10),
    ] as [(Double?, Int)] {
      let world = SessionWorld(
        credential: Credential(
          accessToken: "t0", refreshToken: "r0", issuedAt: issuedAt.map { WallClock.start + $0 },
          expiresAt: WallClock.start + 20))
      #expect(Self.refreshes(world, at: due), "\(issuedAt as Any)")
    }
  }

  /// Whether a session refreshes its token at a second, and not before.
  private static func refreshes(_ world: SessionWorld, at second: Int) -> Bool {
    if second > 0 {
      world.scheduler.advance(by: .seconds(second) - .milliseconds(1))
      world.call("early")
      world.scheduler.advance()
      guard world.server.refreshes == 0 else { return false }
      world.scheduler.advance(by: .milliseconds(1))
    }
    world.call("due")
    world.scheduler.advance()
    return world.server.refreshes == 1
  }

  @Test(
    "TR-06 A token is renewed at the app's part of its lifetime, or within the leeway",
    arguments: [
      (0.5, 1_800), (0.25, 900), (1, 3_570), (0.9999, 3_570), (0, 0), (nil, 3_570), (1.5, 3_570),
      (-1, 3_570), (.nan, 3_570),
    ] as [(Double?, Int)])
  func renewalPoint(point: Double?, due: Int) {
    let options = TokenSessionOptions(renewalPoint: point)
    let world = SessionWorld(
      credential: Credential(
        accessToken: "t0", refreshToken: "r0", issuedAt: WallClock.start,
        expiresAt: WallClock.start + 3_600), options: options)
    #expect(Self.refreshes(world, at: due))
    // Nothing is known of this one but its end.
    let unknown = SessionWorld(
      credential: Credential(
        accessToken: "t0", refreshToken: "r0", expiresAt: WallClock.start + 3_600),
      options: options)
    #expect(Self.refreshes(unknown, at: 3_570))
  }

  @Test("TR-06 A token that has just come is used, whatever the part", arguments: [0, 0.5, 1])
  func renewalPointOfNew(point: Double) {
    let world = SessionWorld(options: TokenSessionOptions(renewalPoint: point))
    world.server.expireTokens()
    world.server.accept("n", refreshToken: "r0")
    world.server.delay("auth/refresh", by: .seconds(19))
    world.server.answerRefreshes(.json(#"{"accessToken": "n", "expiresIn": 20}"#))
    let call = world.call("a")
    world.scheduler.advance(by: .seconds(19))
    let next = world.call("b")
    world.scheduler.advance()
    #expect([call.outcome, next.outcome] == ["200", "200"])
    #expect(world.server.refreshes == 1)
  }

  @Test("TR-06 The part of a new token's lifetime counts from the request for it")
  func renewalPointOfSlow() {
    let world = SessionWorld(options: TokenSessionOptions(renewalPoint: 0.5))
    world.server.expireTokens()
    world.server.accept("n", refreshToken: "r0")
    world.server.delay("auth/refresh", by: .seconds(19))
    world.server.answerRefreshes(.json(#"{"accessToken": "n", "expiresIn": 100}"#))
    let first = world.call("a")
    world.scheduler.advance(by: .seconds(49))
    let second = world.call("b")
    world.scheduler.advance()
    #expect([first.outcome, second.outcome] == ["200", "200"])
    #expect(world.server.refreshes == 1)
    world.scheduler.advance(by: .seconds(2))
    world.call("c")
    world.scheduler.advance()
    #expect(world.server.refreshes == 2)
    world.scheduler.run()
  }

  @Test("TR-06 A token whose end has passed is refreshed before it is sent")
  func longOver() {
    for date in [Date.distantPast, Date(timeIntervalSince1970: -.infinity), WallClock.start] {
      let world = SessionWorld(
        credential: Credential(accessToken: "t0", refreshToken: "r0", expiresAt: date))
      let call = world.call("a")
      world.scheduler.run()
      #expect(call.outcome == "200")
      #expect(world.server.tokens(at: "a") == ["t1"])
    }
  }

  @Test(
    "TR-07 Without a new refresh token the old one stays; a new one is stored before calls go on")
  func rotation() throws {
    let store = MemoryTokenStore(
      Credential(accessToken: "t0", refreshToken: "r0", scope: "read", account: "ada"))
    let world = SessionWorld(store: store)
    world.server.expireTokens()
    world.server.accept("kept")
    world.server.answerRefreshes(.json(#"{"accessToken": "kept"}"#))
    world.call("a")
    world.scheduler.run()
    #expect(
      store.read()
        == Credential(
          accessToken: "kept", refreshToken: "r0", issuedAt: WallClock.start, scope: "read",
          account: "ada"))

    world.server.expireTokens()
    let seen = ValueLog<String>()
    let call = world.begin(
      world.session.authorize(
        world.api.get(endpoint: "b") { request in
          seen.add(store.read()?.refreshToken ?? "none")
          return request
        }))
    world.scheduler.run()
    #expect(call.outcome == "200")
    #expect(seen.all == ["r0", "r1"])
  }
}
