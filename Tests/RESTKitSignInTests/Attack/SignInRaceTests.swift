import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Synchronization
import Testing

@Suite("Concurrent sign-ins")
struct SignInRaceTests {
  private typealias Outcome = TestSubscriber<Void, any Error>

  private let store = MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r0"))

  private func makeSession() -> TokenSession {
    TokenSession(
      grant: ClosureGrant { _ in
        Fail(error: TestFailure(name: "refresh")).eraseToAnyPublisher()
      }, store: store)
  }

  @Test(
    "Of many sign-ins on many threads, the store has one's credential, and each has one outcome")
  func threads() async throws {
    for _ in 0..<20 {
      let session = makeSession()
      let outcomes = await withTaskGroup { group in
        for number in 0..<8 {
          group.addTask { () -> (Int, Result<Void, any Error>) in
            let grant = SoonSignIn(credential: Credential(accessToken: "user-\(number)"))
            do {
              return (number, .success(try await session.signIn(with: grant).value))
            } catch {
              return (number, .failure(error))
            }
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
      }
      var winners: [String] = []
      for (number, outcome) in outcomes {
        switch outcome {
        case .success: winners.append("user-\(number)")
        case .failure(SignInError.superseded): break
        case .failure(let error): Issue.record("\(error)")
        }
      }
      // Several may succeed one after another; the last one stays.
      #expect(!winners.isEmpty)
      #expect(winners.contains(try #require(store.read()).accessToken))
    }
  }

  @Test("A credential that comes after a sign-out signs no user in")
  func late() throws {
    let session = makeSession()
    let grant = SubjectSignIn()
    let outcome = Outcome()
    session.signIn(with: grant).receive(subscriber: outcome)
    try session.signOut()
    grant.subject.send(Credential(accessToken: "late"))
    #expect(outcome.values.isEmpty)
    #expect(outcome.failure as? SignInError == .superseded)
    #expect(store.read() == nil)
  }

  @Test("A grant may use the session while it begins, and so may a subscriber at the end")
  func reentrancy() throws {
    let session = makeSession()
    let count = Atomic(0)
    let again = SubjectSignIn()
    let second = Outcome()
    let grant = EagerSignIn {
      count.add(1, ordering: .relaxed)
      _ = session.identity
      session.signIn(with: again).receive(subscriber: second)
    }
    let first = Outcome()
    session.signIn(with: grant).receive(subscriber: first)
    #expect(first.failure as? SignInError == .superseded)
    again.subject.send(Credential(accessToken: "second"))
    #expect(second.isFinished)
    #expect(store.read()?.accessToken == "second")
    #expect(count.load(ordering: .relaxed) == 1)
  }

  @Test("A grant without a credential signs in nobody, and a grant with two signs in once")
  func oddGrants() throws {
    let session = makeSession()
    let none = SubjectSignIn()
    let outcome = Outcome()
    session.signIn(with: none).receive(subscriber: outcome)
    none.subject.send(completion: .finished)
    #expect(outcome.values.isEmpty)
    #expect(store.read()?.accessToken == "t0")

    let two = SubjectSignIn()
    let other = Outcome()
    session.signIn(with: two).receive(subscriber: other)
    two.subject.send(Credential(accessToken: "one"))
    two.subject.send(Credential(accessToken: "two"))
    #expect(other.values.count == 1)
    #expect(store.read()?.accessToken == "one")
  }
}

/// Brings a credential from a task.
private struct SoonSignIn: SignInGrant {
  let credential: Credential

  func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    Single { () async throws(any Error) in
      await Task.yield()
      return credential
    }
    .eraseToAnyPublisher()
  }
}

/// Does something before it brings a credential, all within the subscription.
private struct EagerSignIn: SignInGrant {
  let action: @Sendable () -> Void

  func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    action()
    return Just(Credential(accessToken: "first")).setFailureType(to: (any Error).self)
      .eraseToAnyPublisher()
  }
}
