extension AnySubscriber {
  /// Makes a subscriber that feeds a subject, as ``Publisher/subscribe(_:)-(Fed)`` does: the subject is
  /// handed the subscription, asks it for everything, and gets the values and the end.
  ///
  /// - Parameter subject: What to feed; held until the end or a cancel.
  @inlinable public init<Fed: Subject>(_ subject: Fed)
  where Fed.Output == Input, Fed.Failure == Failure {
    let gate = UpstreamGate()
    self.init(
      SubjectFeed(
        gate: gate, subject: subject,
        begin: { _ in subject.send(subscription: GateSubscription(gate)) }, willEnd: { _ in }))
  }
}
