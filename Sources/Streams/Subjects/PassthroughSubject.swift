/// A subject that passes on the values it is sent, and keeps none.
///
/// A subscriber that has no demand when a value is sent does not get that value.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<NoMemory<Output>, Failure>

  public init() {
    core = SubjectCore(memory: NoMemory())
  }

  /// Creates a subject with a bounded inbox.
  ///
  /// - Parameters:
  ///   - inboxSize: The number of values that may wait, at least one. Values wait if they are sent
  ///     during a delivery, by other threads or from inside the delivery.
  ///   - whenFull: The policy for one more value: it or the oldest one is dropped, or the subject
  ///     fails, after the waiting values.
  public init(inboxSize: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
    core = SubjectCore(
      memory: NoMemory(), bound: SubjectBound(size: inboxSize, whenFull: whenFull))
  }

  deinit {
    core.abandon()
  }

  @inlinable public func send(_ value: Output) {
    core.send(value)
  }

  @inlinable public func send(completion: Subscribers.Completion<Failure>) {
    core.send(completion: completion)
  }

  @inlinable public func send(subscription: any Subscription) {
    core.send(subscription: subscription)
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    core.attach(subscriber)
  }
}
