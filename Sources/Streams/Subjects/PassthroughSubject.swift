/// A subject that passes on what it is sent and keeps nothing.
///
/// A subscriber that has not asked for a value when it is sent does not get it.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let core = SubjectCore<NoMemory<Output>, Failure>(memory: NoMemory())

  public init() {}

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
