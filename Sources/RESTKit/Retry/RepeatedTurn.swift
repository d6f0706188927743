import Streams

/// The part of a repeated call that knows its outputs: what an attempt is, what its signals mean, and what
/// follows it.
///
/// Its methods are called for one signal at a time, with no lock held.
protocol RepeatDecision<Output>: Sendable {
  associatedtype Output: Sendable

  var call: RepeatedCall { get }

  /// Returns the publisher of an attempt that has begun.
  ///
  /// - Parameter number: The number of the attempt, from 1.
  func attempt(_ number: Int) -> AnyPublisher<Output, any Error>

  /// The outcome of the attempt that a value shows; nil if the attempt goes on.
  func outcome(of value: Output) -> AttemptOutcome?

  /// The outcome of the attempt that its end shows; nil if its values have shown it.
  func outcome(of end: Subscribers.Completion<any Error>) -> AttemptOutcome?

  /// Decides what follows an attempt.
  func step(after outcome: AttemptOutcome) -> RepeatStep

  /// Records a value that is delivered.
  func note(_ value: Output)
}

extension RepeatDecision {
  /// Returns the attempts, one after another, with the waits between them.
  ///
  /// - Parameter context: The context of the subscriber.
  func attempts(in context: SubscriptionContext) -> AnyPublisher<Output, any Error> {
    Relay(RepeatedTurn.attempt(by: self), ending: call.logical, in: context).eraseToAnyPublisher()
  }
}

/// One step of a repeated call, an attempt or a wait, and the step that follows it.
struct RepeatedTurn<Decision: RepeatDecision>: RelayRule {
  private let decision: Decision
  private let isWait: Bool

  /// Begins the next attempt.
  static func attempt(by decision: Decision) -> RelayLeg<Self> {
    let number = decision.call.begin()
    return RelayLeg(
      decision.attempt(number), rule: Self(decision: decision, isWait: false),
      context: decision.call.context)
  }

  func successor(of value: inout Decision.Output) -> RelayLeg<Self>? {
    if let next = wait(after: decision.outcome(of: value)) { return next }
    decision.note(value)
    return nil
  }

  func successor(after end: Subscribers.Completion<any Error>) throws -> RelayLeg<Self>? {
    if isWait { return Self.attempt(by: decision) }
    if let next = wait(after: decision.outcome(of: end)) { return next }
    // The last failure tells of all attempts.
    if case .failure(let error) = end { throw error.telling(of: decision.call.journal) }
    return nil
  }

  /// The wait before the next attempt; nil if none follows.
  private func wait(after outcome: AttemptOutcome?) -> RelayLeg<Self>? {
    let call = decision.call
    guard let outcome, let wait = call.wait(for: decision.step(after: outcome), after: outcome)
    else { return nil }
    let pause = Empty<Decision.Output, any Error>().delay(
      for: wait, scheduler: call.policy.scheduler)
    return RelayLeg(
      pause.eraseToAnyPublisher(), rule: Self(decision: decision, isWait: true))
  }
}
