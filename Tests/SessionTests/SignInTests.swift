import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("A session that begins with a grant", .leakFree)
struct SignInTests {
  private typealias Outcome = TestSubscriber<Void, any Error>

  private let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))
  private let world: SessionWorld
  private let grant = SubjectSignIn()
  private let ada = Credential(accessToken: "ada", account: "ada")

  init() {
    world = SessionWorld(store: store)
    world.server.accept("ada")
  }

  private func begin(_ grant: any SignInGrant, in session: TokenSession? = nil) -> Outcome {
    let outcome = Outcome()
    (session ?? world.session).signIn(with: grant).receive(subscriber: outcome)
    return outcome
  }

  /// How an authorized call ends.
  private func status(of path: String, in world: SessionWorld? = nil) -> String {
    let world = world ?? self.world
    let call = world.call(path)
    world.scheduler.advance()
    return call.outcome
  }

  private func end(_ grant: SubjectSignIn, with credential: Credential) {
    grant.subject.send(credential)
  }

  @Test("The current user stays signed in until the new credential is received and stored")
  func story() throws {
    let signIn = begin(grant)
    #expect(status(of: "a") == "200")
    #expect(signIn.values.isEmpty && signIn.completion == nil)
    let identity = world.session.identity
    end(grant, with: ada)
    #expect(signIn.values.count == 1)
    #expect(signIn.isFinished)
    #expect(store.read() == ada)
    #expect(world.session.identity != identity)
    #expect(status(of: "b") == "200")
    #expect(world.server.tokens(at: "b") == ["ada"])
  }

  @Test(
    "SEC-06 A token that no request can carry signs nobody in, and the error names it",
    arguments: [
      ("a\nb", "r", "accessToken"), ("a\r\nX-A: b", "r", "accessToken"),
      ("a\0b", nil, "accessToken"),
      ("a", "r\n", "refreshToken"), ("a", "\rr", "refreshToken"), ("a", "r\0", "refreshToken"),
      ("a\u{7F}", "r", "accessToken"),
    ] as [(String, String?, String)])
  func controls(accessToken: String, refreshToken: String?, name: String) throws {
    let credential = Credential(accessToken: accessToken, refreshToken: refreshToken)
    let error = SignInError.unusableToken(name: name)
    #expect(throws: error) { try world.session.signIn(credential) }
    _ = status(of: "a")
    #expect(throws: error) { try world.session.replaceCredential(with: credential) }
    let signIn = begin(grant)
    end(grant, with: credential)
    #expect(signIn.failure as? SignInError == error)
    #expect("\(error)".contains(name))
    #expect(store.read() == Credential(accessToken: "t0", refreshToken: "r0"))
    #expect(status(of: "b") == "200")
  }

  @Test("A line break behind an access token, as of a file, is no part of it")
  func trailingLineBreak() throws {
    try world.session.signIn(Credential(accessToken: " ada\r\n"))
    #expect(status(of: "a") == "200")
    #expect(world.server.tokens(at: "a") == ["ada"])
  }

  @Test("TR-19 A refresh that brings a token which no request can carry keeps the old one")
  func controlsOfRefresh() {
    world.server.expireTokens()
    world.server.answerRefreshes(
      .json(#"{"accessToken": "a\nb"}"#),
      .json(#"{"accessToken": "a", "refreshToken": "r\u0000"}"#))
    for name in ["accessToken", "refreshToken"] {
      let call = world.call("a")
      world.scheduler.advance(by: .seconds(2))
      let error = call.failure as? TokenSessionError
      #expect(error?.name == "failed")
      #expect(error?.cause as? RefreshError == .unusableToken(name: name))
    }
    #expect(store.read() == Credential(accessToken: "t0", refreshToken: "r0"))
  }

  @Test("TR-06 A token of a sign-in that lives shorter than the leeway is used for half its life")
  func shortLife() {
    let date = world.clock.now + 10
    _ = begin(grant)
    end(grant, with: Credential(accessToken: "ada", refreshToken: "r1", expiresAt: date))
    world.server.accept("n", refreshToken: "r1")
    world.server.answerRefreshes(.json(#"{"accessToken": "n"}"#))
    #expect(status(of: "a") == "200")
    world.scheduler.advance(by: .milliseconds(4_999))
    #expect(status(of: "b") == "200")
    #expect(world.server.refreshes == 0)
    world.scheduler.advance(by: .milliseconds(1))
    #expect(status(of: "c") == "200")
    #expect(world.server.refreshes == 1)
  }

  @Test("Nothing begins before a subscription, and each subscription starts anew")
  func cold() {
    let count = ValueLog<Int>()
    let publisher = world.session.signIn(with: CountingSignIn { count.add(1) })
    #expect(count.all.isEmpty)
    publisher.receive(subscriber: Outcome())
    publisher.receive(subscriber: Outcome())
    #expect(count.all.count == 2)
  }

  @Test("A cancel ends the sign-in and changes nothing, even with a late credential")
  func cancel() {
    let signIn = begin(grant)
    signIn.cancel()
    end(grant, with: ada)
    #expect(signIn.values.isEmpty && signIn.completion == nil)
    #expect(store.read()?.accessToken == "t0")
    #expect(status(of: "a") == "200")
  }

  @Test("A sign-in that fails changes nothing")
  func failure() {
    let signIn = begin(grant)
    grant.subject.send(completion: .failure(SignInError.expired))
    #expect(signIn.failure as? SignInError == .expired)
    #expect(store.read()?.accessToken == "t0")
    #expect(status(of: "a") == "200")
  }

  @Test("A sign-in that ends without a credential has no value")
  func nothing() {
    let signIn = begin(grant)
    grant.subject.send(completion: .finished)
    #expect(signIn.values.isEmpty)
    #expect(signIn.isFinished)
    #expect(store.read()?.accessToken == "t0")
  }

  @Test("Of two sign-ins the one that began last counts, and the other fails at once")
  func two() {
    let later = SubjectSignIn()
    let first = begin(grant)
    let second = begin(later)
    #expect(first.failure as? SignInError == .superseded)
    end(grant, with: Credential(accessToken: "eve"))
    #expect(store.read()?.accessToken == "t0")
    end(later, with: ada)
    #expect(second.isFinished)
    #expect(store.read() == ada)
  }

  @Test("A sign-in or a sign-out by the app ends the running sign-in")
  func app() throws {
    let first = begin(grant)
    try world.session.signIn(ada)
    #expect(first.failure as? SignInError == .superseded)
    let second = begin(grant)
    try world.session.signOut()
    #expect(second.failure as? SignInError == .superseded)
    end(grant, with: ada)
    #expect(store.read() == nil)
  }

  @Test("A sign-out during the end of a sign-in wins")
  func signOutInside() {
    let session = world.session
    let outcome = Outcome { _, _ in
      try? session.signOut()
      return .none
    }
    session.signIn(with: grant).receive(subscriber: outcome)
    end(grant, with: ada)
    #expect(store.read() == nil)
    #expect(outcome.isFinished)
  }

  @Test("A cancelled or finished sign-in does not end a later one")
  func leaving() {
    let later = SubjectSignIn()
    begin(grant).cancel()
    let first = begin(grant)
    let second = begin(later)
    first.cancel()
    end(later, with: ada)
    #expect(second.isFinished)
    #expect(store.read() == ada)
  }

  @Test("A refused refresh does not end the sign-in that replaces the session")
  func expiry() {
    let signIn = begin(grant)
    world.server.expireTokens()
    world.server.answerRefreshes(.json(#"{"error": "invalid_grant"}"#, status: 400))
    #expect(status(of: "a") == "refused")
    #expect(signIn.values.isEmpty && signIn.completion == nil)
    world.server.accept("ada")
    end(grant, with: ada)
    #expect(signIn.isFinished)
    #expect(status(of: "b") == "200")
  }

  @Test("Calls of the previous user fail, as with any sign-in")
  func calls() {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    let call = world.call("a")
    world.scheduler.advance()
    _ = begin(grant)
    #expect(call.outcome == "open")
    end(grant, with: ada)
    #expect(call.outcome == "signedOut")
    world.scheduler.run()
    #expect(store.read() == ada)
  }

  @Test("A store that fails is reported, and the user is signed in")
  func brokenStore() {
    let world = SessionWorld(store: BrokenStore())
    world.server.accept("ada")
    let signIn = begin(grant, in: world.session)
    end(grant, with: ada)
    #expect(signIn.failure is TestFailure)
    #expect(status(of: "a", in: world) == "200")
  }

  @Test("A sign-in that needs the session's own token fails, as in a refresh")
  func ownToken() {
    let session = world.session
    let api = world.api
    let signIn = begin(
      AuthorizedSignIn { session.authorize(api.get(endpoint: "login")) })
    #expect((signIn.failure as? TokenSessionError)?.name == "needsItself")
    #expect(world.server.calls.isEmpty)
  }
}

/// Notes each subscription, and never ends.
private struct CountingSignIn: SignInGrant {
  let note: @Sendable () -> Void

  func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    Single { _ in
      note()
      return AnyCancellable {}
    }
    .eraseToAnyPublisher()
  }
}

/// Signs in by a request.
private struct AuthorizedSignIn: SignInGrant {
  let request: @Sendable () -> AnyPublisher<RESTResponse, any Error>

  func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    request().map { _ in Credential(accessToken: "x") }.eraseToAnyPublisher()
  }
}

/// A store that returns a credential, and accepts none.
struct BrokenStore: TokenStore {
  func read() throws -> Credential? { Credential(accessToken: "t0", refreshToken: "r0") }
  func write(_ credential: Credential?) throws { throw TestFailure() }
  func replace(_ old: Credential?, with new: Credential?) throws -> Bool { throw TestFailure() }
  func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> {
    Just(AnyCancellable {}).setFailureType(to: (any Error).self).eraseToAnyPublisher()
  }
}
