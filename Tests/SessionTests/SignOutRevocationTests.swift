import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@Suite("Signing out with a revocation", .leakFree)
struct SignOutRevocationTests {
  private typealias Outcome = TestSubscriber<Void, any Error>

  private static let credential = Credential(accessToken: "t0", refreshToken: "r0")
  private let store = MemoryTokenStore(Self.credential)
  private let world: SessionWorld
  private let revocation = SubjectRevocation()

  init() {
    world = SessionWorld(store: store)
  }

  private func signOut(of session: TokenSession? = nil) -> Outcome {
    let outcome = Outcome()
    (session ?? world.session).signOut(revokingWith: revocation).receive(subscriber: outcome)
    return outcome
  }

  /// How an authorized call ends.
  private func status(of path: String) -> String {
    let call = world.call(path)
    world.scheduler.advance()
    return call.outcome
  }

  @Test("A store that cannot be read is told, since what was to be revoked is unknown")
  func unreadable() {
    let store = ScriptedTokenStore(store, onRead: { _, _ in throw TestFailure(name: "read") })
    let world = SessionWorld(store: store)
    let outcome = signOut(of: world.session)
    #expect((outcome.failure as? TestFailure)?.name == "read")
    #expect(store.stored == nil)
    #expect(revocation.credentials.all.isEmpty)
  }

  @Test("The session removes the credential before the revocation, and does not wait for it")
  func story() {
    _ = status(of: "a")
    let isStored = ValueLog<Bool>()
    let store = store
    revocation.onBegin.add { _ in isStored.add(store.read() != nil) }
    let outcome = signOut()
    #expect(isStored.all == [false])
    #expect(revocation.credentials.all == [Self.credential])
    #expect(status(of: "b") == "signedOut")
    #expect(outcome.values.isEmpty && outcome.completion == nil)
    revocation.subject.send(())
    revocation.subject.send(completion: .finished)
    #expect(outcome.values.count == 1)
    #expect(outcome.isFinished)
  }

  @Test("Nothing happens before a subscription")
  func cold() {
    _ = world.session.signOut(revokingWith: revocation)
    #expect(store.read() != nil)
    #expect(status(of: "a") == "200")
  }

  @Test("A session without calls revokes the credential of its store")
  func unread() {
    _ = signOut()
    #expect(revocation.credentials.all == [Self.credential])
    #expect(store.read() == nil)
  }

  @Test("Another process's refreshed credential is revoked, and not the one before")
  func renewedElsewhere() {
    _ = status(of: "a")
    let renewed = Credential(accessToken: "t1", refreshToken: "r1")
    store.write(renewed)
    _ = signOut()
    #expect(revocation.credentials.all == [renewed])
  }

  @Test("Another user's credential in the store is not revoked in place of the session's own")
  func otherUser() {
    _ = status(of: "a")
    store.write(Credential(accessToken: "eve", account: "eve"))
    _ = signOut()
    #expect(revocation.credentials.all == [Self.credential])
  }

  @Test("A signed-out session revokes nothing")
  func nobody() throws {
    try world.session.signOut()
    let outcome = signOut()
    #expect(outcome.isFinished)
    #expect(outcome.values.count == 1)
    #expect(revocation.credentials.all.isEmpty)
  }

  @Test("A network failure is reported, and the user is signed out")
  func failure() {
    let outcome = signOut()
    revocation.subject.send(completion: .failure(TestFailure()))
    #expect(outcome.failure is TestFailure)
    #expect(status(of: "a") == "signedOut")
    #expect(store.read() == nil)
  }

  @Test("A store failure is reported after the revocation, with any outcome of it")
  func brokenStore() {
    for end in [nil, TestFailure(name: "network")] {
      let world = SessionWorld(store: BrokenStore())
      let revocation = SubjectRevocation()
      let outcome = Outcome()
      world.session.signOut(revokingWith: revocation).receive(subscriber: outcome)
      #expect(outcome.values.isEmpty && outcome.completion == nil)
      if let end {
        revocation.subject.send(completion: .failure(end))
      } else {
        revocation.subject.send(())
        revocation.subject.send(completion: .finished)
      }
      #expect(outcome.failure as? TestFailure == TestFailure())
      #expect(revocation.credentials.all.count == 1)
    }
  }

  @Test("A revocation that succeeds is a success in the log of its request, too")
  func log() throws {
    let transport = ObservedTransport(AnsweringTransport(taking: "t0"), clock: world.scheduler)
    let logs = TestSubscriber<CallLog, Never>()
    transport.callLogs.subscribe(logs)
    let outcome = Outcome()
    world.session.signOut(revokingWith: RequestRevocation(api: TestAPI(transport: transport)))
      .receive(subscriber: outcome)
    #expect(outcome.values.count == 1 && outcome.isFinished)
    logs.cancel()
    let lines = try #require(logs.values.first).events.map(\.description)
    #expect(logs.values.count == 1)
    #expect(lines.last == "ended")
    #expect(!lines.contains("cancelled"))
  }

  @Test("A cancel ends the revocation, and not the sign-out")
  func cancel() {
    signOut().cancel()
    #expect(store.read() == nil)
    #expect(status(of: "a") == "signedOut")
  }

  @Test("A running refresh is stopped, and its token is not stored")
  func refresh() {
    world.server.expireTokens()
    world.server.delay("auth/refresh", by: .seconds(1))
    let call = world.call("a")
    world.scheduler.advance()
    _ = signOut()
    #expect(call.outcome == "signedOut")
    #expect(revocation.credentials.all == [Self.credential])
    world.scheduler.run()
    #expect(store.read() == nil)
  }

  @Test("A further subscription after a failure or a cancel revokes the same credential")
  func again() throws {
    let publisher = world.session.signOut(revokingWith: revocation)
    let cancelled = Outcome()
    publisher.receive(subscriber: cancelled)
    cancelled.cancel()
    let second = Outcome()
    publisher.receive(subscriber: second)
    #expect(second.values.isEmpty && second.completion == nil)
    revocation.subject.send(())
    revocation.subject.send(completion: .finished)
    #expect(second.values.count == 1 && second.isFinished)
    #expect(revocation.credentials.all == [Self.credential, Self.credential])
    // Nothing is left to revoke.
    let third = Outcome()
    publisher.receive(subscriber: third)
    #expect(third.values.count == 1 && third.isFinished)
    #expect(revocation.credentials.all.count == 2)
  }

  @Test("A retry reports a failed revocation's success only when it is revoked")
  func retried() throws {
    let failing = FailingRevocation(failures: 2)
    let outcome = Outcome()
    world.session.signOut(revokingWith: failing).retry(2).receive(subscriber: outcome)
    #expect(failing.credentials.all == Array(repeating: Self.credential, count: 3))
    #expect(outcome.values.count == 1 && outcome.isFinished)
  }

  @Test("A further subscription does not sign out who has signed in meanwhile")
  func nextUser() throws {
    let publisher = world.session.signOut(revokingWith: FailingRevocation(failures: 1))
    let first = Outcome()
    publisher.receive(subscriber: first)
    #expect(first.failure is TestFailure)
    try world.session.signIn(Credential(accessToken: "ada"))
    let second = Outcome()
    publisher.receive(subscriber: second)
    #expect(second.isFinished)
    #expect(store.read()?.accessToken == "ada")
  }

  @Test("A further subscription also writes what the store refused, and reports it")
  func brokenStoreAgain() {
    let world = SessionWorld(store: BrokenStore())
    let publisher = world.session.signOut(revokingWith: FailingRevocation(failures: 1))
    for _ in 1...2 {
      let outcome = Outcome()
      publisher.receive(subscriber: outcome)
      #expect(outcome.failure as? TestFailure == TestFailure())
    }
  }

  @Test(
    "A second subscription while the first one signs out revokes, too, and does not only succeed")
  func meanwhile() {
    let begin = Lock<(@Sendable () -> Void)?>(nil)
    let world = SessionWorld(
      store: ScriptedTokenStore(store, onWrite: { begin.withLock { $0.take() }?() }))
    let publisher = world.session.signOut(revokingWith: revocation)
    let (first, second) = (Outcome(), Outcome())
    begin.withLock { $0 = { publisher.receive(subscriber: second) } }
    publisher.receive(subscriber: first)
    #expect(revocation.credentials.all == [Self.credential, Self.credential])
    #expect(second.completion == nil)
    revocation.subject.send(())
    revocation.subject.send(completion: .finished)
    #expect(first.isFinished && second.isFinished)
  }

  @Test("The late end of an old revocation does not forget the next user's credential")
  func lateEnd() throws {
    let slow = SteppedRevocation()
    let publisher = world.session.signOut(revokingWith: slow)
    let outcomes = (0..<4).map { _ in Outcome() }
    publisher.receive(subscriber: outcomes[0])
    publisher.receive(subscriber: outcomes[1])
    slow.runs.all[1].succeed()
    let next = Credential(accessToken: "ada", refreshToken: "ra")
    try world.session.signIn(next)
    publisher.receive(subscriber: outcomes[2])
    slow.runs.all[0].succeed()
    slow.runs.all[2].subject.send(completion: .failure(TestFailure()))
    publisher.receive(subscriber: outcomes[3])
    #expect(slow.runs.all.map(\.credential) == [Self.credential, Self.credential, next, next])
    #expect(outcomes[3].completion == nil)
    outcomes[3].cancel()
  }

  @Test("A sign-in during the revocation stays")
  func signIn() throws {
    let outcome = signOut()
    try world.session.signIn(Credential(accessToken: "ada"))
    revocation.subject.send(())
    revocation.subject.send(completion: .finished)
    #expect(outcome.isFinished)
    #expect(store.read()?.accessToken == "ada")
  }
}

/// Ends when a test says so.
private struct SubjectRevocation: TokenRevocation {
  let subject = PassthroughSubject<Void, any Error>()
  let credentials = ValueLog<Credential>()
  let onBegin = ValueLog<@Sendable (Credential) -> Void>()

  func revocation(of credential: Credential) -> AnyPublisher<Void, any Error> {
    Deferred {
      credentials.add(credential)
      for note in onBegin.all { note(credential) }
      return subject
    }
    .eraseToAnyPublisher()
  }
}

/// Each of its revocations ends when a test says so.
private struct SteppedRevocation: TokenRevocation {
  struct Run: Sendable {
    let credential: Credential
    let subject = PassthroughSubject<Void, any Error>()

    func succeed() {
      subject.send(())
      subject.send(completion: .finished)
    }
  }

  let runs = ValueLog<Run>()

  func revocation(of credential: Credential) -> AnyPublisher<Void, any Error> {
    let run = Run(credential: credential)
    runs.add(run)
    return run.subject.eraseToAnyPublisher()
  }
}

/// Fails so many times, and then succeeds.
private struct FailingRevocation: TokenRevocation {
  let credentials = ValueLog<Credential>()
  let failures: Int

  init(failures: Int) {
    self.failures = failures
  }

  func revocation(of credential: Credential) -> AnyPublisher<Void, any Error> {
    Deferred { () -> AnyPublisher<Void, any Error> in
      credentials.add(credential)
      if credentials.all.count <= failures {
        return Fail(error: TestFailure(name: "network")).eraseToAnyPublisher()
      }
      return Just(()).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
    .eraseToAnyPublisher()
  }
}

/// A revocation by one request.
private struct RequestRevocation: TokenRevocation {
  let api: TestAPI

  func revocation(of credential: Credential) -> AnyPublisher<Void, any Error> {
    api.get(endpoint: "revoke") { $0.addingBearerAuthorization(token: credential.accessToken) }
      .validateStatus().map { _ in () }.eraseToAnyPublisher()
  }
}
