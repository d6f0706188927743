/// A subject that holds a value: a new subscriber gets the current one first.
///
/// A subscriber without demand gets the latest value once it asks; those in between are skipped.
public final class CurrentValueSubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<LatestValue<Output>, Failure>

  public init(_ value: Output) {
    core = SubjectCore(memory: LatestValue(value))
  }

  /// The value that was sent last.
  ///
  /// Setting it publishes it.
  @inlinable public var value: Output {
    get { core.inbox.withLock { $0.sent.latest } }
    set { core.send(newValue) }
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
