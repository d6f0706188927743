extension AnySubscriber {
  /// Creates a subscriber that feeds a subject, as ``Publisher/subscribe(_:)-(Fed)`` does.
  ///
  /// The subject receives the subscription, requests everything from it, and receives the values
  /// and the end.
  ///
  /// - Parameter subject: The subject to feed, which is held until the end or a cancel.
  @inlinable public init<Fed: Subject>(_ subject: Fed)
  where Fed.Output == Input, Fed.Failure == Failure {
    let gate = UpstreamGate()
    self.init(
      SubjectFeed(
        gate: gate, subject: subject,
        begin: { _ in subject.send(subscription: GateSubscription(gate)) }, willEnd: { _ in }))
  }
}
