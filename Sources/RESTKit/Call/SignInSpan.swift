import Foundation
import Streams
import Synchronization

/// The time for which one user is signed in.
///
/// All of that user's credentials share one object. A cache stores responses for one such object.
final class SignInSpan: Sendable {
  let session: SessionTag
  /// A unique text that reveals nothing about the user.
  let name = UUID().uuidString
  private let hasEnded = Atomic<Bool>(false)
  /// The actions to run at the end, or nil once they have run.
  private let actions = Lock<[@Sendable () -> Void]?>([])

  init(of session: SessionTag) {
    self.session = session
  }

  deinit {
    // No request can run for this user any more, although the user never signed out.
    tellIsOver()
  }

  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  func end() {
    hasEnded.store(true, ordering: .releasing)
  }

  /// Runs an action when the time is over.
  ///
  /// It runs at once if the end was already announced.
  func whenOver(_ action: @escaping @Sendable () -> Void) {
    let isTold = actions.withLock { actions in
      actions?.append(action)
      return actions == nil
    }
    if isTold { action() }
  }

  /// Runs the actions that wait for the end, the first time only.
  func tellIsOver() {
    for action in actions.withLock({ $0.take() }) ?? [] { action() }
  }
}

/// A tag that distinguishes a session from all others, also after the session is gone.
final class SessionTag: Sendable, Hashable {
  static func == (lhs: SessionTag, rhs: SessionTag) -> Bool { lhs === rhs }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
