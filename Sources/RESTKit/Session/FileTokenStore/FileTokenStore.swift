import Foundation
import Streams

/// A token store in a file that only its owner can read, shared by all processes that use the
/// file's path.
///
/// ```swift
/// let tokens = FileTokenStore(
///   file: .applicationSupportDirectory.appending(path: "Shop/credential.json"))
/// ```
///
/// - The file has mode 0600 and its folder 0700; the store creates both if they are missing, and
///   the folder's parents with mode 0700. It refuses a symbolic link, another owner and a wider
///   mode instead of correcting them: others may have read the token, or have placed the file
///   there. Parent folders that exist are trusted. A sign-out removes any file of that name.
/// - A write is atomic and durable. It goes to a neighbor file, `.NAME.new`, is flushed to the
///   disk, and then replaces the old file. The file is always the old one or the new one, even if
///   the process ends in the middle. The next write removes leftovers.
/// - Several processes may use one file. Writes hold the lock of `.NAME.lock`, and
///   ``replace(_:with:)`` compares under that lock. A refresh holds the lock of `.NAME.refresh`,
///   which the system frees when a process ends. Both lock files stay when no user is signed in.
///   The folder must be on a local file system.
///
/// The file is not encrypted: root, or anyone with the disk, can read it. The methods wait for the
/// disk, and for another process that writes.
public struct FileTokenStore: TokenStore {
  /// The location of the credential.
  public let file: URL

  private let scheduler: KeptScheduler

  /// A hook for tests before each step of a write, which can fail the step or end the process.
  private let willReach: @Sendable (Step) throws(POSIXError) -> Void

  /// - Parameters:
  ///   - file: The location of the credential: a file name in a folder that only the app uses. The
  ///     initializer reads and creates nothing.
  ///   - scheduler: The scheduler that polls for the turn to refresh while another process has it.
  ///     Nil means a queue of the system, and in a test on virtual time the test's scheduler.
  public init(
    file: URL, waitingOn scheduler: (any Scheduler)? = nil
  ) {
    self.init(file: file, waitingOn: scheduler) { _ in }
  }

  init(
    file: URL, waitingOn scheduler: (any Scheduler)? = DispatchQueue.global(),
    willReach: @escaping @Sendable (Step) throws(POSIXError) -> Void
  ) {
    self.file = file.absoluteURL
    self.scheduler = KeptScheduler(scheduler, else: DispatchQueue.global())
    self.willReach = willReach
  }

  /// Returns the credential in the file.
  ///
  /// - Returns: The credential, or nil if there is no file or no folder.
  /// - Throws: ``FileTokenStoreError``.
  public func read() throws(FileTokenStoreError) -> Credential? {
    guard let folder = try PrivateFolder.open(folderPath) else { return nil }
    return try read(in: folder)
  }

  /// Writes a credential to the file in place of any content; nil removes the file.
  ///
  /// - Throws: ``FileTokenStoreError``. The file is still the old one then. If only the flush of
  ///   the folder failed, the file is the new one.
  public func write(_ credential: Credential?) throws(FileTokenStoreError) {
    guard let folder = try folder(making: credential != nil) else { return }
    try withLock(in: folder) { () throws(FileTokenStoreError) in try put(credential, in: folder) }
  }

  /// Replaces a certain credential, regardless of which process wrote it.
  ///
  /// For `old`, nil means that there is no file; for `new`, nil removes the file.
  ///
  /// - Returns: Whether the old credential was still stored. Otherwise nothing is written.
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
  /// The store tries at subscription, and then every 20 ms on its scheduler.
  ///
  /// - Returns: A publisher of the turn. Other sessions wait until the turn is cancelled or
  ///   released. It fails with ``FileTokenStoreError``.
  public func refreshTurn() -> AnyPublisher<AnyCancellable, any Error> {
    let pause = Just(()).delay(for: .milliseconds(20), scheduler: scheduler.inUse)
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
  /// The steps of a write, in order.
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

  /// Removes the credential under the lock.
  private func remove(from folder: PrivateFolder) throws(FileTokenStoreError) {
    // Removes the file last: a process that ends in between is still signed in, and leaves no token
    // behind.
    try folder.remove(newName)
    try folder.remove(name)
    try folder.synchronize()
  }

  /// Writes a credential under the lock; nil removes it.
  private func put(
    _ credential: Credential?, in folder: PrivateFolder
  ) throws(FileTokenStoreError) {
    guard let credential else { return try remove(from: folder) }
    // A link is a user's decision, which the store must not undo silently.
    try folder.check(name)
    // A process that ended in the middle of a write left this file.
    try folder.remove(newName)
    do {
      let content = try TokenFile.data(credential)
      try willReach(.make)
      let handle = try folder.make(newName)
      try willReach(.write)
      try handle.writeAll(content)
      try willReach(.synchronize)
      // Without the flush, a crash could leave the name with bytes that never reached the disk.
      try handle.writeToMedium()
      try willReach(.rename)
      try folder.rename(newName, to: name)
      try willReach(.synchronizeFolder)
      try folder.synchronize()
    } catch {
      // On a full disk, a part of a token would remain. The next write removes a file that cannot
      // be removed now.
      try? folder.remove(newName)
      throw error as? FileTokenStoreError
        ?? FileTokenStoreError(error as? POSIXError ?? POSIXError(.EIO), file.path)
    }
  }
}

/// The reason why a token file cannot be read or written.
///
/// The store's state is unknown then, and no user is signed out.
///
/// Its texts name the path and the remedy. They contain nothing of the file's content.
public struct FileTokenStoreError: Error, Sendable, Equatable {
  /// The class of an error.
  public enum Kind: Sendable, Equatable {
    /// The file or its folder is something else, such as a symbolic link, a device or a folder.
    case notAPlainFile
    /// The file or its folder belongs to another user.
    case wrongOwner
    /// Users other than the owner may read the file or list its folder.
    case openToOthers
    /// The content is not in this store's format.
    case malformed
    /// A later version of RESTKit wrote the file.
    case laterVersion
    /// There is no space for the new content. The old content is still there.
    case noSpace
    /// The system refused an operation with this code.
    case system(POSIXErrorCode)
  }

  /// The class of the error.
  public let kind: Kind
  /// The path of the file or folder.
  public let path: String
  /// The problem, in words.
  public let reason: String
  /// The remedy, in words.
  public let remedy: String
}

extension FileTokenStoreError: CustomStringConvertible, LocalizedError {
  public var description: String { "The token store's \(path.printable) \(reason). \(remedy)" }

  public var errorDescription: String? { description }
}

extension FileTokenStoreError {
  static func notAPlainFile(_ path: String, expected: String) -> Self {
    Self(
      kind: .notAPlainFile, path: path,
      reason: "is not a plain \(expected); symbolic links are not followed",
      remedy: "Remove it, or choose another path.")
  }

  static func wrongOwner(_ path: String, _ owner: uid_t) -> Self {
    Self(
      kind: .wrongOwner, path: path,
      reason: "belongs to user \(owner), and this process runs as \(geteuid())",
      remedy: "Choose a path of this user's own, or correct the owner with chown.")
  }

  static func openToOthers(_ path: String, mode: mode_t, isFolder: Bool) -> Self {
    let expected = isFolder ? "700" : "600"
    return Self(
      kind: .openToOthers, path: path,
      reason: "is open to others: its mode is \(String(mode, radix: 8)), and not \(expected)",
      remedy: isFolder
        ? "Choose a folder that is for the token file alone, and run chmod \(expected) on it."
        : "Run chmod \(expected) on it, and sign in anew if others may have read it.")
  }

  static func malformed(_ path: String) -> Self {
    Self(
      kind: .malformed, path: path, reason: "is not in the format of this store",
      remedy: "Restore it, or sign in anew.")
  }

  static func laterVersion(_ path: String) -> Self {
    Self(
      kind: .laterVersion, path: path,
      reason: "was written by a later version of RESTKit",
      remedy: "Update this program, or sign in anew.")
  }

  init(_ fault: PrivacyFault, _ path: String, isFolder: Bool) {
    switch fault {
    case .otherType: self = .notAPlainFile(path, expected: isFolder ? "folder" : "file")
    case .wrongOwner(let owner): self = .wrongOwner(path, owner)
    case .openToOthers(let mode): self = .openToOthers(path, mode: mode, isFolder: isFolder)
    case .system(let error): self.init(error, path)
    }
  }

  init(_ error: POSIXError, _ path: String) {
    switch error.code {
    case .ENOSPC, .EDQUOT, .EFBIG:
      self.init(
        kind: .noSpace, path: path, reason: "cannot be written for lack of space",
        remedy: "Free space on its disk. The previous content is still stored.")
    case let code:
      self.init(
        kind: .system(code), path: path,
        reason: "cannot be used: \(String(cString: strerror(code.rawValue)))",
        remedy: "Check the permissions of the folders on its path, and its disk.")
    }
  }
}
