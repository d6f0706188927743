import Streams

/// An action that follows a change of a session's state and runs while no lock is held.
enum SessionEffect: Sendable {
  /// Resume these calls with a credential or a failure, in this order.
  case resume([SessionWaiter], SessionWaiter.Outcome)
  /// Read the store for the first time, or again after it was empty.
  case read(version: Int)
  /// Begin a refresh.
  case refresh(RefreshOrder)
  /// Store the token that could not be stored before.
  case save(RefreshOrder.Saving)
  /// Remove a credential from the store, if it is still there.
  case forget(Credential?, version: Int)
  /// Cancel work that is no longer needed.
  case stop(any Cancellable)
}

/// The inputs of a refresh.
struct RefreshOrder: Sendable {
  /// Counts the refreshes of a session, from 1.
  let number: Int
  /// The credential to renew, or nil for a grant that requires no sign-in.
  let credential: Credential?
  /// The known content of the store.
  ///
  /// Another content means that another session changed it.
  let stored: Credential?
  /// Whether a sign-in has not been stored yet.
  ///
  /// Any content of the store is older than that sign-in.
  let isSignInUnsaved: Bool
  /// The number of the app's changes so far: see ``SessionMachine/version``.
  let version: Int

  /// The inputs of a repeated attempt to store a token.
  struct Saving: Sendable {
    let version: Int
    let credential: Credential
    let stored: Credential?
    /// Whether the credential replaces any content of the store.
    let isSignIn: Bool
  }
}

/// The outcome of a refresh.
enum RefreshOutcome: Sendable {
  /// The refresh brought a credential; the result tells whether it was stored.
  case renewed(Credential, stored: Result<Void, any Error>)
  /// The store has another content than this session stored there; nil if it is empty.
  case changedElsewhere(Credential?)
  /// The grant brought no token.
  case notGranted(GrantError)
  /// The session could not request a token or could not wait longer. Calls fail with this error.
  case failed(TokenSessionError)
}
