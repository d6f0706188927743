import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("A revocation that requires an access token", .leakFree)
struct RevocationRenewalTests {
  private typealias Outcome = TestSubscriber<Void, any Error>

  private let store = MemoryTokenStore()
  private let world: SessionWorld

  init() {
    world = SessionWorld(store: store)
  }

  /// Signs in with a token that is valid for so long.
  private func signIn(
    for lifetime: Duration?, refreshToken: String? = "r0", in world: SessionWorld? = nil
  ) throws {
    let world = world ?? self.world
    let now = world.clock.now
    try world.session.signIn(
      Credential(
        accessToken: "t0", refreshToken: refreshToken,
        expiresAt: lifetime.map { now.addingTimeInterval($0 / .seconds(1)) }))
  }

  /// `GET logout` with the access token.
  private func logout(requiresAccessToken: Bool = true) -> ClosureRevocation {
    let api = world.api
    return ClosureRevocation(requiresAccessToken: requiresAccessToken) { credential in
      api.get(endpoint: "logout") { $0.addingBearerAuthorization(token: credential.accessToken) }
    }
  }

  private func signOut(_ revocation: (any TokenRevocation)? = nil) -> Outcome {
    let outcome = Outcome()
    world.session.signOut(revokingWith: revocation ?? logout()).subscribe(outcome)
    world.scheduler.run()
    return outcome
  }

  private var calls: [String] { world.server.calls.map(\.description) }

  @Test("A token that is valid is revoked as it is")
  func valid() throws {
    try signIn(for: .seconds(60))
    #expect(signOut().isFinished)
    #expect(calls == ["GET /logout t0"])
  }

  @Test("An expired token is renewed first, and the user is signed out before that")
  func expired() throws {
    try signIn(for: .seconds(60))
    world.server.expireTokens()
    world.scheduler.advance(by: .seconds(60))
    world.server.delay("auth/refresh", by: .seconds(1))
    let outcome = Outcome()
    world.session.signOut(revokingWith: logout()).subscribe(outcome)
    #expect(store.read() == nil)
    #expect(world.session.account == nil)
    world.scheduler.run()
    #expect(outcome.isFinished && outcome.values.count == 1)
    #expect(calls == ["POST /auth/refresh -", "GET /logout t1"])
    #expect(store.read() == nil)
  }

  @Test("A token that the server refuses is renewed, too, once")
  func refused() throws {
    for lifetime in [nil, Duration.seconds(60)] {
      let test = Self()
      try test.signIn(for: lifetime)
      test.world.server.expireTokens()
      #expect(test.signOut().isFinished)
      #expect(test.calls == ["GET /logout t0", "POST /auth/refresh -", "GET /logout t1"])
    }
    try signIn(for: nil)
    world.server.expireTokens()
    world.server.refuseNewTokens()
    let failure = signOut().failure as? RESTError
    #expect(failure?.kind == .status(401))
    #expect(calls == ["GET /logout t0", "POST /auth/refresh -", "GET /logout t1"])
  }

  @Test("A refusal is known by the server's response, if the failure is of the app's own")
  func ownFailure() throws {
    try signIn(for: nil)
    world.server.expireTokens()
    let api = world.api
    let outcome = signOut(
      ClosureRevocation { credential in
        api.get(endpoint: "logout") { $0.addingBearerAuthorization(token: credential.accessToken) }
          .validateStatus().map { _ in }.mapError { _ in TestFailure() }
      })
    #expect(outcome.isFinished)
    #expect(world.server.refreshes == 1)
  }

  @Test("Another failure, and a revocation that requires no access token, renew nothing")
  func others() throws {
    try signIn(for: nil)
    world.server.answer("logout", .json("{}", status: 500))
    #expect((signOut().failure as? RESTError)?.kind == .status(500))
    #expect(calls == ["GET /logout t0"])
    let other = Self()
    try other.signIn(for: .zero)
    other.world.server.expireTokens()
    let outcome = other.signOut(other.logout(requiresAccessToken: false))
    #expect((outcome.failure as? RESTError)?.kind == .status(401))
    #expect(other.calls == ["GET /logout t0"])
  }

  @Test("Without a refresh token, the credential is revoked as it is", arguments: [nil, ""])
  func noRefreshToken(refreshToken: String?) throws {
    try signIn(for: .zero, refreshToken: refreshToken)
    world.server.expireTokens()
    #expect((signOut().failure as? RESTError)?.kind == .status(401))
    #expect(calls == ["GET /logout t0"])
  }

  @Test("A renewal that fails is the failure, and the credential stays to be revoked")
  func failedRenewal() throws {
    try signIn(for: .zero)
    world.server.expireTokens()
    world.server.answerRefreshes(.json("{}", status: 503), .json(#"{"accessToken": " "}"#))
    let publisher = world.session.signOut(revokingWith: logout())
    let outcomes = (0..<3).map { _ in Outcome() }
    for outcome in outcomes {
      publisher.subscribe(outcome)
      world.scheduler.run()
    }
    #expect((outcomes[0].failure as? RESTError)?.kind == .status(503))
    #expect(outcomes[1].failure as? RefreshError == .emptyAccessToken)
    #expect(outcomes[2].isFinished)
    #expect(calls == Array(repeating: "POST /auth/refresh -", count: 3) + ["GET /logout t1"])
  }

  @Test("A renewal ends with the time of a refresh")
  func late() throws {
    try signIn(for: .zero)
    world.server.answerRefreshes(.never)
    let outcome = signOut()
    #expect((outcome.failure as? TokenSessionError)?.name == "timedOut")
    #expect(world.scheduler.now == .seconds(30))
  }

  @Test("A further subscription revokes the renewed credential, and uses no refresh token twice")
  func again() throws {
    try signIn(for: .zero)
    world.server.takeRefreshTokensOnce()
    world.server.answer("logout", .json("{}", status: 503))
    let publisher = world.session.signOut(revokingWith: logout())
    for _ in 1...2 {
      let outcome = Outcome()
      publisher.subscribe(outcome)
      world.scheduler.run()
      #expect((outcome.failure as? RESTError)?.kind == .status(503))
    }
    #expect(calls == ["POST /auth/refresh -", "GET /logout t1", "GET /logout t1"])
  }
}
