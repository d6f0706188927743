/// Keeps the credential of one user of one API.
///
/// Its methods may be called on any thread. An error means that the store cannot be read or written
/// now; it never means that there is no credential.
public protocol TokenStore: Sendable {
  /// The credential, or nil where nobody is signed in.
  func read() throws -> Credential?

  /// Puts a credential in the place of whatever is there; nil forgets it.
  func write(_ credential: Credential?) throws

  /// Puts a credential in the place of a certain one, in one step: a sign-out in between must win.
  ///
  /// - Returns: Whether the old one was still there; nothing is written otherwise.
  func replace(_ old: Credential, with new: Credential) throws -> Bool
}
