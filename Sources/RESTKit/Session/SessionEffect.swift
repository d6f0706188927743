import Streams

/// What has to be done after a change of a session's state, once no lock is held.
enum SessionEffect: Sendable {
  /// Calls go on or fail, in this order.
  case resume([SessionWaiter], SessionWaiter.Outcome)
  /// The store is to be read for the first time, or again after it was empty.
  case read(version: Int)
  /// A refresh begins.
  case refresh(RefreshOrder)
  /// The token that could not be stored is to be stored now.
  case save(RefreshOrder.Saving)
  /// The store is to forget a credential, if it still holds that one.
  case forget(Credential?, version: Int)
  /// Somebody need not run any more.
  case stop(any Cancellable)
}

/// What a refresh has to know.
struct RefreshOrder: Sendable {
  /// Counts the refreshes of a session, from 1.
  let number: Int
  /// What is to be renewed; nil for a grant that needs no sign-in.
  let credential: Credential?
  /// What the store holds as far as is known: another content means that somebody else was here.
  let stored: Credential?
  /// Whether the store still has to learn of a sign-in: whatever it holds is older than that.
  let isSignInUnsaved: Bool
  /// What the app did so far: see ``SessionMachine/version``.
  let version: Int

  /// What is to be put in the place of what.
  struct Saving: Sendable {
    let version: Int
    let credential: Credential
    let stored: Credential?
    /// Whether it takes the place of whatever is there.
    let isSignIn: Bool
  }
}

/// How a refresh ended.
enum RefreshOutcome: Sendable {
  /// It brought a credential, and this is how storing that went.
  case renewed(Credential, stored: Result<Void, any Error>)
  /// The store holds what this session did not put there; nil where it is empty.
  case changedElsewhere(Credential?)
  /// The grant gave no token.
  case notGranted(GrantError)
  /// The session could not ask for one, or wait any longer: what calls fail with.
  case failed(TokenSessionError)
}
