import Streams

/// The pause between two attempts of a call.
///
/// A sign-out of the call's user fails it at once, since no attempt can follow.
final class RetryPause: Sendable {
  private struct State: Sendable {
    var isOver = false
    /// The timer, and the wait for a sign-out.
    var causes: [any Cancellable] = []
  }

  private let scheduler: any Scheduler
  private let user: SignInSpan?
  private let state = Lock(State())

  /// - Parameters:
  ///   - scheduler: The scheduler that measures the time and delivers the end.
  ///   - user: The user as whom the call is sent; nil if no session authorizes it.
  init(on scheduler: any Scheduler, of user: SignInSpan?) {
    self.scheduler = scheduler
    self.user = user
  }

  /// Returns a publisher that finishes after a time, without a value.
  func publisher<Output: Sendable>(for time: Duration) -> AnyPublisher<Output, any Error> {
    CallWait<Void> { [self] wait in
      begin(wait, for: time)
    } leave: { [self] _ in
      end()
    }
    .publisher()
  }

  private func begin(_ wait: CallWait<Void>, for time: Duration) {
    if let user {
      hold(
        user.whenOver { [self] in
          scheduler.schedule { [self] in
            if end() { wait.end(with: .failure(TokenSessionError.signedOut)) }
          }
        })
    }
    hold(
      scheduler.schedule(after: time) { [self] in
        if end() { wait.end(with: .success(())) }
      })
  }

  private func hold(_ cause: any Cancellable) {
    let isOver = state.withLock { state in
      if !state.isOver { state.causes.append(cause) }
      return state.isOver
    }
    if isOver { cause.cancel() }
  }

  /// Ends the pause.
  ///
  /// - Returns: Whether it had not ended before.
  @discardableResult
  private func end() -> Bool {
    let causes: [any Cancellable]? = state.withLock { state in
      guard !state.isOver else { return nil }
      state.isOver = true
      defer { state.causes = [] }
      return state.causes
    }
    for cause in causes ?? [] { cause.cancel() }
    return causes != nil
  }
}
