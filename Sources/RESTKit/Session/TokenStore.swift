import Streams

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
  /// - Parameters:
  ///   - old: What must be there; nil for nothing.
  ///   - new: What is put there; nil forgets the old one.
  /// - Returns: Whether the old one was still there; nothing is written otherwise.
  func replace(_ old: Credential?, with new: Credential?) throws -> Bool

  /// Waits for the turn to refresh: a refresh token is to be used once, however many share the store.
  ///
  /// A session asks for its turn before each refresh and reads the store again once it has it. The
  /// one value is the turn: others wait until it is cancelled or released. A cancel of the
  /// subscription gives up the waiting, and a turn that came meanwhile.
  ///
  /// There is no default, since a store that gives everybody the turn loses the user where a second
  /// session uses it. Sessions of one process take their turns from one ``RefreshTurns``; several
  /// processes need a lock that reaches all of them, as in ``FileTokenStore``.
  func refreshTurn() -> AnyPublisher<AnyCancellable, any Error>
}
