/// Runs work on the main actor.
///
/// Work is always queued, also when it is scheduled from the main actor.
public struct MainActorScheduler: Scheduler {
  public init() {}

  public var now: Duration { ContinuousClock.Instant.now.sinceReference }

  public func schedule(_ action: @escaping @Sendable () -> Void) {
    Task { @MainActor in action() }
  }

  public func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let task = Task { @MainActor in
      try await Task.sleep(for: max(delay, .zero))
      action()
    }
    return AnyTaskCancellable(task: task)
  }
}

extension Scheduler where Self == MainActorScheduler {
  /// Runs work on the main actor.
  public static var mainActor: MainActorScheduler { MainActorScheduler() }
}

/// Cancels a task without owning it: dropping it leaves the task alone.
private struct AnyTaskCancellable: Cancellable {
  let task: Task<Void, any Error>

  func cancel() {
    task.cancel()
  }
}

extension ContinuousClock.Instant {
  /// The start of this process's measurements: a constant to measure from.
  private static let reference = ContinuousClock.Instant.now

  var sinceReference: Duration { Self.reference.duration(to: self) }
}
