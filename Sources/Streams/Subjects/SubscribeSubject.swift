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
  @inlinable
  public func subscribe<Fed: Subject>(_ subject: Fed) -> AnyCancellable
  where Fed.Output == Output, Fed.Failure == Failure {
    let gate = UpstreamGate()
    receive(subscriber: SubjectFeed(gate: gate, subject: subject))
    return AnyCancellable(gate)
  }
}

/// Subscribes a publisher for a subject.
@frozen
@usableFromInline
struct SubjectFeed<Fed: Subject>: Subscriber {
  @usableFromInline let gate: UpstreamGate
  @usableFromInline let subject: Fed

  @inlinable
  init(gate: UpstreamGate, subject: Fed) {
    self.gate = gate
    self.subject = subject
  }

  @inlinable
  func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { subject.send(subscription: gate.subscription) }
  }

  @inlinable
  func receive(_ input: Fed.Output) -> Subscribers.Demand {
    if gate.isOpen {
      subject.send(input)
    } else {
      gate.reportStrayValue(for: Self.self)
    }
    return .none
  }

  @inlinable
  func receive(completion: Subscribers.Completion<Fed.Failure>) {
    if gate.finish(for: Self.self) { subject.send(completion: completion) }
  }
}
