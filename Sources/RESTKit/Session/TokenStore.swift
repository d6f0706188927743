import Streams

/// A store for the credential of one user of one API.
///
/// The methods may be called on any thread. An error means that the store cannot be read or written
/// now. It never means that there is no credential.
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

  /// Waits for the turn to refresh, so that sessions that share the store use a refresh token only
  /// once.
  ///
  /// A session waits for its turn before each refresh, and reads the store again when it has it.
  /// The publisher's one value is the turn. Other sessions wait until it is cancelled or released.
  /// A cancel of the subscription gives up the place in line, and also a turn that arrived
  /// meanwhile.
  ///
  /// There is no default implementation: a store that gives the turn to every session at once would
  /// sign the user out as soon as a second session uses it. Sessions of one process take their
  /// turns from one ``RefreshTurns``. Several processes need a lock that reaches all of them, as in
  /// ``FileTokenStore``.
  func refreshTurn() -> AnyPublisher<AnyCancellable, any Error>
}

/// A token store that keeps a credential in memory, for as long as the process runs.
///
/// Sessions of the process may share it. They refresh one at a time, in the order of their
/// requests.
public final class MemoryTokenStore: TokenStore {
  private let credential: Lock<Credential?>
  private let turns = RefreshTurns()

  public init(_ credential: Credential? = nil) {
    self.credential = Lock(credential)
  }

  public func read() -> Credential? {
    credential.withLock { $0 }
  }

  public func write(_ credential: Credential?) {
    self.credential.withLock { $0 = credential }
  }

  public func replace(_ old: Credential?, with new: Credential?) -> Bool {
    credential.withLock { credential in
      guard credential == old else { return false }
      credential = new
      return true
    }
  }

  public func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> { turns.next }
}
