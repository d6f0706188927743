import Foundation
import Streams
import Synchronization

/// The time for which one user is signed in: one object, shared by all credentials of it.
final class SignInSpan: AskerSpan {
  let session: SessionTag
  let name = UUID().uuidString
  private let hasEnded = Atomic<Bool>(false)
  /// What runs once it is over; nil when that was told.
  private let actions = Lock<[@Sendable () -> Void]?>([])

  init(of session: SessionTag) {
    self.session = session
  }

  deinit {
    // Nobody can ask as him any more, though he never signed out.
    tellIsOver()
  }

  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  func end() {
    hasEnded.store(true, ordering: .releasing)
  }

  func whenOver(_ action: @escaping @Sendable () -> Void) {
    let isTold = actions.withLock { actions in
      actions?.append(action)
      return actions == nil
    }
    if isTold { action() }
  }

  /// Runs what waits for its end; the first time only.
  func tellIsOver() {
    for action in actions.withLock({ $0.take() }) ?? [] { action() }
  }
}
