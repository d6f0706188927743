import Foundation
import Streams

/// Keeps a credential in a file that only its owner can read, for all processes that name it.
///
/// ```swift
/// let tokens = FileTokenStore(
///   file: .applicationSupportDirectory.appending(path: "Shop/credential.json"))
/// ```
///
/// - The file has mode 0600 and its folder 0700; both are made where they are missing. A symbolic
///   link, another owner and a wider mode are refused, not corrected: others may have read the
///   token, or have put the file there. The folders above are trusted. A sign-out removes whatever
///   has the name.
/// - A write is atomic and lasts: it goes to a file beside, `.NAME.new`, to the disk, and then in
///   the place of the old one. Whatever stops it, the process too, the file is the old one or the
///   new one, and what was left is removed by the next write.
/// - Several processes may use one file: writes hold the lock of `.NAME.lock`, and
///   ``replace(_:with:)`` compares under it. Who refreshes holds that of `.NAME.refresh`, which the
///   system frees when a process ends. Both files stay when nobody is signed in; the folder must be
///   on a file system of this machine.
///
/// It is not encrypted: who is root, or has the disk, can read it. Its methods wait for the disk,
/// and for another process that writes.
public struct FileTokenStore: TokenStore {
  /// Where the credential is.
  public let file: URL

  private let scheduler: any Scheduler

  /// What tests do ahead of a step of a write: fail it, or end the process.
  private let willReach: @Sendable (Step) throws(POSIXError) -> Void

  /// - Parameters:
  ///   - file: Where to keep the credential: a folder for the app's own use, and a name in it.
  ///     Nothing is read or made yet.
  ///   - scheduler: Where the turn to refresh is waited for, while another process has it.
  public init(file: URL, waitingOn scheduler: any Scheduler = DispatchQueue.global()) {
    self.init(file: file, waitingOn: scheduler) { _ in }
  }

  init(
    file: URL, waitingOn scheduler: any Scheduler = DispatchQueue.global(),
    willReach: @escaping @Sendable (Step) throws(POSIXError) -> Void
  ) {
    self.file = file.absoluteURL
    self.scheduler = scheduler
    self.willReach = willReach
  }

  /// The credential in the file.
  ///
  /// - Returns: nil where there is no file or no folder.
  /// - Throws: ``FileTokenStoreError``.
  public func read() throws(FileTokenStoreError) -> Credential? {
    guard let folder = try PrivateFolder.open(folderPath) else { return nil }
    return try read(in: folder)
  }

  /// Puts a credential in the file, whatever is in it; nil removes the file.
  ///
  /// - Throws: ``FileTokenStoreError``. The file is the old one then, or, where only its lasting is
  ///   in doubt, the new one.
  public func write(_ credential: Credential?) throws(FileTokenStoreError) {
    guard let folder = try folder(making: credential != nil) else { return }
    try withLock(in: folder) { () throws(FileTokenStoreError) in try put(credential, in: folder) }
  }

  /// Puts a credential in the place of a certain one, whichever process wrote it; nil as the old one
  /// is no file, and as the new one removes it.
  ///
  /// - Returns: Whether the old one was still there; nothing is written otherwise.
  /// - Throws: ``FileTokenStoreError``, as ``write(_:)`` does.
  public func replace(
    _ old: Credential?, with new: Credential?
  ) throws(FileTokenStoreError) -> Bool {
    guard let folder = try folder(making: old == nil && new != nil) else { return old == nil }
    return try withLock(in: folder) { () throws(FileTokenStoreError) in
      guard try read(in: folder) == old else { return false }
      try put(new, in: folder)
      return true
    }
  }
}

extension FileTokenStore {
  /// Waits until no other process and no other session refreshes the credential of this file.
  ///
  /// It asks every 20 ms, on the store's scheduler; the first time where it is subscribed.
  ///
  /// - Returns: The turn, once: others wait until it is cancelled or released. Fails with
  ///   ``FileTokenStoreError``.
  public func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> {
    let pause = Just(()).delay(for: .milliseconds(20), scheduler: scheduler)
      .setFailureType(to: (any Error).self)
    return Deferred { Result { try turn() }.publisher }
      .retryOn({ $0 is AnothersTurn }, retries: .max, chainedPublisher: pause)
      .eraseToAnyPublisher()
  }

  private struct AnothersTurn: Error {}

  private func turn() throws -> AnyCancellable {
    let folder = try PrivateFolder.openOrMake(folderPath)
    guard let lock = try folder.takeLock(".\(name).refresh", waiting: false) else {
      throw AnothersTurn()
    }
    return AnyCancellable { lock.closeWithLock() }
  }
}

extension FileTokenStore {
  /// What a write goes through, in order.
  enum Step: CaseIterable {
    case make, write, synchronize, rename, synchronizeFolder
  }

  private var folderPath: String { file.deletingLastPathComponent().path }
  private var name: String { file.lastPathComponent }
  private var newName: String { ".\(name).new" }

  private func withLock<Value>(
    in folder: PrivateFolder, _ body: () throws(FileTokenStoreError) -> Value
  ) throws(FileTokenStoreError) -> Value {
    let lock = try folder.takeLock(".\(name).lock", waiting: true)
    defer { lock?.closeWithLock() }
    return try body()
  }

  private func read(in folder: PrivateFolder) throws(FileTokenStoreError) -> Credential? {
    guard let data = try folder.read(name) else { return nil }
    return try TokenFile.credential(data, path: file.path)
  }

  private func folder(making: Bool) throws(FileTokenStoreError) -> PrivateFolder? {
    try making ? PrivateFolder.openOrMake(folderPath) : PrivateFolder.open(folderPath)
  }

  /// Forgets under the lock.
  private func remove(from folder: PrivateFolder) throws(FileTokenStoreError) {
    // The file last: whoever ends in between is still signed in, and leaves no token behind.
    try folder.remove(newName)
    try folder.remove(name)
    try folder.synchronize()
  }

  /// Writes under the lock; nil forgets.
  private func put(
    _ credential: Credential?, in folder: PrivateFolder
  ) throws(FileTokenStoreError) {
    guard let credential else { return try remove(from: folder) }
    // A link there is somebody's will, and not to be undone in silence.
    try folder.check(name)
    // A process that ended in the middle of a write left it.
    try folder.remove(newName)
    do {
      let content = try TokenFile.data(credential)
      try willReach(.make)
      let handle = try folder.make(newName)
      try willReach(.write)
      try handle.writeAll(content)
      try willReach(.synchronize)
      // Else a crash could leave the name with bytes that never reached the disk.
      guard fsync(handle.fileDescriptor) == 0 else { throw POSIXError.last }
      try willReach(.rename)
      try folder.rename(newName, to: name)
      try willReach(.synchronizeFolder)
      try folder.synchronize()
    } catch {
      // A full disk would keep the part of a token; the next write removes what cannot be now.
      try? folder.remove(newName)
      throw error as? FileTokenStoreError
        ?? FileTokenStoreError(error as? POSIXError ?? POSIXError(.EIO), file.path)
    }
  }
}
