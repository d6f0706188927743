import Streams

/// A store for the credential of one user of one API.
///
/// The methods may be called on any thread. An error means that the store cannot be read or written now. It
/// never means that there is no credential.
public protocol TokenStore: Sendable {
  /// Returns the credential, or nil if no user is signed in.
  func read() throws -> Credential?

  /// Stores a credential in place of any other; nil removes it.
  func write(_ credential: Credential?) throws

  /// Replaces a certain credential in one atomic step, so that a sign-out in between wins.
  ///
  /// - Parameters:
  ///   - old: The credential that must be stored now; nil for an empty store.
  ///   - new: The credential to store; nil removes the old one.
  /// - Returns: Whether the old credential was still stored. Otherwise nothing is written.
  func replace(_ old: Credential?, with new: Credential?) throws -> Bool

  /// Waits for the turn to refresh, so that sessions that share the store use a refresh token only once.
  ///
  /// A session waits for its turn before each refresh, and reads the store again when it has it. The
  /// publisher's one value is the turn. Other sessions wait until it is cancelled or released. A cancel of
  /// the subscription gives up the place in line, and also a turn that arrived meanwhile.
  ///
  /// There is no default implementation: a store that gives the turn to every session at once would sign the
  /// user out as soon as a second session uses it. Sessions of one process take their turns from one
  /// ``RefreshTurns``. Several processes need a lock that reaches all of them, as in ``FileTokenStore``.
  func refreshTurn() -> AnyPublisher<AnyCancellable, any Error>
}
