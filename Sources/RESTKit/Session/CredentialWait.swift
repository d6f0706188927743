import Streams
import Synchronization

/// The wait of a call for a credential, with its place in line.
final class CredentialWait: Subscription {
  private let session: TokenSession
  private let call: LogicalCall
  /// The credential that the API refused, or nil for a call whose request has not been sent.
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

  /// Whether the call's request was already sent and refused.
  var isRenewal: Bool { refused != nil }

  /// The credential, once the wait has ended with one.
  var credential: IssuedCredential? { granted.withLock { $0 } }

  /// - Parameter end: A closure that runs once, when there is a credential or a failure.
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
    // The subscription may have been cancelled before the call was in line.
    if isCancelled.load(ordering: .relaxed) { leave() }
  }

  /// Does nothing, since the wait has no values.
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

/// A publisher that completes without a value when its wait ends.
struct CredentialWaiting<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let wait: CredentialWait

  func receive(subscriber: some Subscriber<Output, Failure>) {
    subscriber.receive(subscription: wait)
    wait.begin { subscriber.receive(completion: $0) }
  }
}
