/// A subject that passes on what it is sent and keeps nothing.
///
/// A subscriber that has not asked for a value when it is sent does not get it.
public final class PassthroughSubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<NoMemory<Output>, Failure>

  public init() {
    core = SubjectCore(memory: NoMemory())
  }

  /// A subject whose inbox is bounded.
  ///
  /// - Parameters:
  ///   - inboxSize: How many values may wait that are sent while another is delivered, by other threads
  ///     or from inside the delivery; at least one.
  ///   - whenFull: What becomes of one more: it or the oldest is dropped, or the subject fails, after
  ///     the values that wait.
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
