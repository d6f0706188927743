import Synchronization

/// The time for which one user is signed in: one object, shared by all credentials of it.
final class SignInSpan: Sendable {
  let session: SessionTag
  private let hasEnded = Atomic<Bool>(false)

  init(of session: SessionTag) {
    self.session = session
  }

  var isOver: Bool { hasEnded.load(ordering: .acquiring) }

  func end() {
    hasEnded.store(true, ordering: .releasing)
  }
}
