/// A subject that keeps the latest values, which each new subscriber gets first.
///
/// A subscriber that has no demand when a value is sent gets it later, if the value is still kept
/// at the time of the request. Late subscribers get the kept values even after the end, and then
/// the end.
public final class ReplaySubject<Output: Sendable, Failure: Error>: Subject {
  @usableFromInline let core: SubjectCore<LatestValues<Output>, Failure>

  /// - Parameter bufferSize: The number of values to keep. A number that is not positive means
  ///   none.
  public init(bufferSize: Int) {
    core = SubjectCore(memory: LatestValues(limit: Swift.max(0, bufferSize)))
  }

  /// Creates a subject with a bounded inbox.
  ///
  /// - Parameters:
  ///   - bufferSize: The number of values to keep. A number that is not positive means none.
  ///   - inboxSize: The number of values that may wait, at least one. Values wait if they are sent
  ///     during a delivery, by other threads or from inside the delivery.
  ///   - whenFull: The policy for one more value: it or the oldest one is dropped, or the subject
  ///     fails, after the waiting values.
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
