import Streams

/// Runs something in the middle of something else, once.
final class Late: Sendable {
  private struct Action {
    let run: @Sendable () -> Void
  }

  private let action = Lock<Action?>(nil)

  func set(_ action: @escaping @Sendable () -> Void) {
    self.action.withLock { $0 = Action(run: action) }
  }

  func run() {
    let action = self.action.withLock { action in
      defer { action = nil }
      return action
    }
    action?.run()
  }
}
