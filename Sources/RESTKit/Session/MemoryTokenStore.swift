import Streams

/// A token store that keeps a credential in memory, for as long as the process runs.
///
/// Sessions of the process may share it. They refresh one at a time, in the order of their requests.
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
