import Streams
import Synchronization

/// A call's place in the line of those who wait for a credential.
final class CredentialWait: Subscription {
  private let session: TokenSession
  private let call: LogicalCall
  /// What the API refused; nil for a call whose request has not been sent.
  private let refused: IssuedCredential?
  private let place: Int
  private let granted = Lock<IssuedCredential?>(nil)
  private let isCancelled = Atomic<Bool>(false)

  init(for call: LogicalCall, after refused: IssuedCredential? = nil, in session: TokenSession) {
    self.session = session
    self.call = call
    self.refused = refused
    place = session.machine.withLock { $0.takePlace() }
  }

  /// Whether the call's request was sent before, and refused.
  var isRenewal: Bool { refused != nil }

  /// What was waited for.
  var credential: IssuedCredential? { granted.withLock { $0 } }

  /// - Parameter end: Runs once: when there is a credential, or why there is none.
  func begin(_ end: @escaping @Sendable (Subscribers.Completion<any Error>) -> Void) {
    let waiter = SessionWaiter(id: place, refused: refused) { [self] outcome in
      switch outcome {
      case .success(let credential):
        if let number = credential.refreshNumber { call.journal.record(.refreshed(number)) }
        granted.withLock { $0 = credential }
        end(.finished)
      case .failure(let error): end(.failure(error))
      }
    }
    let now = session.now
    let (effects, flight) = session.machine.withLock { machine in
      let effects = isRenewal ? machine.renew(waiter, at: now) : machine.begin(waiter, at: now)
      return (effects, machine.flight?.number)
    }
    if let flight { call.journal.record(.joinedRefresh(flight)) }
    session.perform(effects, for: call)
    // One that came before there was anybody in the line.
    if isCancelled.load(ordering: .relaxed) { leave() }
  }

  /// There are no values to ask for.
  func request(_ demand: Subscribers.Demand) {}

  func cancel() {
    isCancelled.store(true, ordering: .relaxed)
    leave()
  }

  private func leave() {
    let released = session.machine.withLock { $0.leave(place) }
    withExtendedLifetime(released) {}
  }
}

/// Ends when a wait does, without a value.
struct CredentialWaiting<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let wait: CredentialWait

  func receive(subscriber: some Subscriber<Output, Failure>) {
    subscriber.receive(subscription: wait)
    wait.begin { subscriber.receive(completion: $0) }
  }
}
