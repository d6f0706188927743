import Streams

/// Keeps a credential in memory, for as long as the process runs.
public final class MemoryTokenStore: TokenStore {
  private let credential: Lock<Credential?>

  public init(_ credential: Credential? = nil) {
    self.credential = Lock(credential)
  }

  public func read() -> Credential? {
    credential.withLock { $0 }
  }

  public func write(_ credential: Credential?) {
    self.credential.withLock { $0 = credential }
  }

  public func replace(_ old: Credential, with new: Credential) -> Bool {
    credential.withLock { credential in
      guard credential == old else { return false }
      credential = new
      return true
    }
  }
}
