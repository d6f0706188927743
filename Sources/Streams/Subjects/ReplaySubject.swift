/// A subject that keeps the values sent last: a new subscriber gets them first, then what comes.
///
/// A subscriber that has not asked for a value when it is sent gets it later, if it is among those
/// kept when it asks. Late subscribers get the kept values also after the end, and then the end.
public final class ReplaySubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<LatestValues<Output>, Failure>

  /// - Parameter bufferSize: How many values to keep; none if it is not positive.
  public init(bufferSize: Int) {
    core = SubjectCore(memory: LatestValues(limit: Swift.max(0, bufferSize)))
  }

  /// A subject whose inbox is bounded.
  ///
  /// - Parameters:
  ///   - bufferSize: How many values to keep; none if it is not positive.
  ///   - inboxSize: How many values may wait that are sent while another is delivered, by other threads
  ///     or from inside the delivery; at least one.
  ///   - whenFull: What becomes of one more: it or the oldest is dropped, or the subject fails, after
  ///     the values that wait.
  public init(
    bufferSize: Int, inboxSize: Int, whenFull: Publishers.BufferingStrategy<Failure>
  ) {
    core = SubjectCore(
      memory: LatestValues(limit: Swift.max(0, bufferSize)),
      bound: SubjectBound(size: inboxSize, whenFull: whenFull))
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
