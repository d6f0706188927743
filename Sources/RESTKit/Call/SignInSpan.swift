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
  private let actions = Lock(Actions())

  private struct Actions: Sendable {
    /// The actions to run at the end, by number; nil once they have run.
    var waiting: [Int: @Sendable () -> Void]? = [:]
    var count = 0
  }

  init(of session: SessionTag) {
    self.session = session
  }

  deinit {
    // No request can run for this user any more, although the user never signed out.
    tellIsOver()
  }

  /// The number of actions that wait for the end.
  var actionCount: Int { actions.withLock { $0.waiting?.count ?? 0 } }

  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  func end() {
    hasEnded.store(true, ordering: .releasing)
  }

  /// Runs an action when the time is over.
  ///
  /// It runs at once if the end was already announced.
  ///
  /// - Returns: A cancellable that forgets the action. Releasing it does not.
  @discardableResult
  func whenOver(_ action: @escaping @Sendable () -> Void) -> any Cancellable {
    let number: Int? = actions.withLock { actions in
      guard actions.waiting != nil else { return nil }
      actions.count += 1
      actions.waiting?[actions.count] = action
      return actions.count
    }
    if number == nil { action() }
    return Place(number: number, span: self)
  }

  /// Runs the actions that wait for the end, in order, the first time only.
  func tellIsOver() {
    let waiting = actions.withLock { $0.waiting.take() } ?? [:]
    for (_, action) in waiting.sorted(by: { $0.key < $1.key }) { action() }
  }

  private func forget(_ number: Int) {
    let released = actions.withLock { $0.waiting?.removeValue(forKey: number) }
    withExtendedLifetime(released) {}
  }

  /// The place of an action among those that wait.
  private struct Place: Cancellable {
    let number: Int?
    let span: SignInSpan

    func cancel() {
      if let number { span.forget(number) }
    }
  }
}

/// A tag that distinguishes a session from all others, also after the session is gone.
final class SessionTag: Sendable, Hashable {
  static func == (lhs: SessionTag, rhs: SessionTag) -> Bool { lhs === rhs }

  func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
