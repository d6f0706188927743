/// A subscriber that feeds a subject with the values and the end of a publisher, as far as a gate
/// lets them pass.
@frozen @usableFromInline struct SubjectFeed<Fed: Subject>: Subscriber {
  @usableFromInline let gate: UpstreamGate
  @usableFromInline let subject: Fed
  @usableFromInline let begin: @Sendable (any Subscription) -> Void
  @usableFromInline let willEnd: @Sendable (Subscribers.Completion<Fed.Failure>) -> Void

  /// - Parameters:
  ///   - begin: A closure that requests values, by default all of them.
  ///   - willEnd: A closure that runs before the subject gets the end.
  @inlinable init(
    gate: UpstreamGate, subject: Fed,
    begin: @escaping @Sendable (any Subscription) -> Void = { $0.request(.unlimited) },
    willEnd: @escaping @Sendable (Subscribers.Completion<Fed.Failure>) -> Void
  ) {
    self.gate = gate
    self.subject = subject
    self.begin = begin
    self.willEnd = willEnd
  }

  @inlinable func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { begin(subscription) }
  }

  @inlinable func receive(_ input: Fed.Output) -> Subscribers.Demand {
    if gate.admitsValue(for: Self.self) { subject.send(input) }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Fed.Failure>) {
    guard gate.finish(for: Self.self) else { return }
    willEnd(completion)
    subject.send(completion: completion)
  }
}
