/// A subject that holds a value: a new subscriber gets the current one first.
///
/// A subscriber without demand gets the latest value once it asks; those in between are skipped.
public final class CurrentValueSubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<LatestValue<Output>, Failure>

  public init(_ value: Output) {
    core = SubjectCore(memory: LatestValue(value))
  }

  /// A subject whose inbox is bounded: of what is sent faster than it is delivered, the latest counts.
  ///
  /// - Parameters:
  ///   - value: The first value.
  ///   - inboxSize: How many values may wait that are sent while another is delivered, by other threads
  ///     or from inside the delivery; at least one. One more drops the oldest.
  public init(_ value: Output, inboxSize: Int) {
    core = SubjectCore(
      memory: LatestValue(value), bound: SubjectBound(size: inboxSize, whenFull: .dropOldest))
  }

  deinit {
    core.abandon()
  }

  /// The value that was sent last.
  ///
  /// Setting it publishes it. After the end nothing is published any more, and a value that is set is
  /// only kept; one that is sent is not.
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
