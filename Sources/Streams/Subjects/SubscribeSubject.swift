extension Publisher {
  /// Feeds a subject with the values and the end of this publisher.
  ///
  /// The publisher is asked for everything; whoever subscribed the subject gets what it asked for.
  /// The end ends the subject for good, as one that is sent does, and an end of the subject cancels
  /// this publisher. A cancel leaves the subject open.
  ///
  /// - Parameter subject: What to feed, on whatever thread this publisher delivers; held until the
  ///   end or a cancel.
  /// - Returns: What keeps the subscription alive; dropping it cancels.
  @inlinable public func subscribe<Fed: Subject>(_ subject: Fed) -> AnyCancellable
  where Fed.Output == Output, Fed.Failure == Failure {
    let gate = UpstreamGate()
    receive(
      subscriber: SubjectFeed(
        gate: gate, subject: subject,
        begin: { _ in subject.send(subscription: GateSubscription(gate)) }, willEnd: { _ in }))
    return AnyCancellable(gate)
  }
}
