import RESTKit
import Streams
import Synchronization

/// A store that fails, or does something else, when a test says so.
package final class ScriptedTokenStore: TokenStore {
  private let memory: MemoryTokenStore
  private let reads = Atomic<Int>(0)
  private let onRead: @Sendable (Int, MemoryTokenStore) throws -> Void
  private let onWrite: @Sendable () throws -> Void

  /// - Parameters:
  ///   - onRead: Runs after each read, before its result is handed out, with the read's number from
  ///     one.
  ///   - onWrite: Runs before each write.
  package init(
    _ memory: MemoryTokenStore = MemoryTokenStore(Identity.credential),
    onRead: @escaping @Sendable (Int, MemoryTokenStore) throws -> Void = { _, _ in },
    onWrite: @escaping @Sendable () throws -> Void = {}
  ) {
    self.memory = memory
    self.onRead = onRead
    self.onWrite = onWrite
  }

  package var stored: Credential? { memory.read() }

  package func read() throws -> Credential? {
    let credential = memory.read()
    try onRead(reads.add(1, ordering: .acquiringAndReleasing).newValue, memory)
    return credential
  }

  package func write(_ credential: Credential?) throws {
    try onWrite()
    memory.write(credential)
  }

  package func replace(_ old: Credential?, with new: Credential?) throws -> Bool {
    try onWrite()
    return memory.replace(old, with: new)
  }

  package func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> { memory.refreshTurn() }
}
