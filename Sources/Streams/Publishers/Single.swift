/// A publisher of one value from your own work, which starts lazily and which a cancel stops.
///
/// The work starts again for each subscriber, when it subscribes, so a retry runs it again. To
/// start the work at once and share one result, use ``Future``.
///
/// ```swift
/// Single<Data, any Error> { resolve in
///   let task = start { result in resolve(result) }
///   return AnyCancellable { task.stop() }
/// }
/// ```
///
/// ```marble
/// Single<String, Never> { resolve in
///   scheduler.schedule(after: .milliseconds(20)) { resolve(.success("a")) }
/// }
/// result: --(a|)
/// ```
///
/// - Demand: The work begins with the subscription. Its value waits for demand. A failure does not.
/// - Errors: The failure that the work resolves with.
/// - Completion: Right after the value.
/// - Cancellation: Cancels the work. A later result is ignored.
/// - Delivery: On the thread on which the work resolves, or on the thread of a later request.
/// - Complexity: O(1) for each subscription.
public struct Single<Output: Sendable, Failure: Error>: Publisher {
  /// Provides the result.
  ///
  /// Only the first call counts. The call may come on any thread.
  public typealias Resolve = @Sendable (Result<Output, Failure>) -> Void

  @usableFromInline let start: @Sendable (@escaping Resolve) -> any Cancellable

  /// - Parameter start: A closure that begins the work on the subscribing thread and returns a
  ///   cancellable that stops it. The cancellable is released when the work has its result, so the
  ///   closure of an `AnyCancellable` runs then, too.
  @inlinable public init(_ start: @escaping @Sendable (@escaping Resolve) -> any Cancellable) {
    self.start = start
  }

  /// Creates a publisher of a result that is known already.
  ///
  /// Unlike ``Swift/Result/publisher``, it is never ambiguous beside Combine, which Foundation and
  /// Dispatch load on Apple's systems.
  @inlinable public init(_ result: Result<Output, Failure>) {
    self.init { resolve in
      resolve(result)
      return AnyCancellable {}
    }
  }

  @inlinable public func receive(subscriber: some Subscriber<Output, Failure>) {
    let single = SingleValueSubscription.start(for: subscriber)
    guard single.isWaiting else { return }
    single.hold(start { single.resolve($0.map(Optional.some)) })
  }
}

extension Single {
  /// Creates a publisher of the result of an asynchronous closure.
  ///
  /// Each subscription runs the closure in a task of its own, and a cancel cancels the task. A
  /// retry is a new subscription, so it runs the closure again.
  ///
  /// ```swift
  /// Single { try await client.load(id) }
  /// ```
  ///
  /// - Demand: The task starts at once. Its value waits for demand.
  /// - Errors: The closure's error, with its type.
  /// - Completion: With the value.
  /// - Cancellation: Cancels the task. Nothing arrives after that, even if the closure continues.
  /// - Delivery: In the task, or on the thread of a later request.
  /// - Complexity: One task for each subscription.
  ///
  /// - Parameters:
  ///   - priority: The task's priority.
  ///   - operation: The closure that returns the value.
  public init(
    priority: TaskPriority? = nil,
    operation: @escaping @Sendable () async throws(Failure) -> Output
  ) {
    self.init { resolve in
      let task = Task(priority: priority) {
        do throws(Failure) {
          resolve(.success(try await operation()))
        } catch {
          resolve(.failure(error))
        }
      }
      return TaskWork(task: task)
    }
  }
}
