/// A subject that holds a value, which each new subscriber gets first.
///
/// A subscriber without demand gets the latest value at its next request. Values in between are
/// skipped.
public final class CurrentValueSubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<LatestValue<Output>, Failure>

  public init(_ value: Output) {
    core = SubjectCore(memory: LatestValue(value))
  }

  /// Creates a subject with a bounded inbox.
  ///
  /// If values are sent faster than they are delivered, the oldest waiting ones are dropped.
  ///
  /// - Parameters:
  ///   - value: The first value.
  ///   - inboxSize: The number of values that may wait, at least one. Values wait if they are sent
  ///     during a delivery, by other threads or from inside the delivery. One more value drops the
  ///     oldest.
  public init(_ value: Output, inboxSize: Int) {
    core = SubjectCore(
      memory: LatestValue(value), bound: SubjectBound(size: inboxSize, whenFull: .dropOldest))
  }

  deinit {
    core.abandon()
  }

  /// The value that was sent last.
  ///
  /// Setting it publishes the value. After the end, nothing is published. A value that is set is
  /// then only kept, and a value that is sent is not kept.
  @inlinable public var value: Output {
    get { core.inbox.withLock { $0.sent.latest } }
    set { core.set(newValue) }
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
