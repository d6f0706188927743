import Foundation
import Streams

/// The folder of a cache.
///
/// The folder and its files are accessible to their owner only.
///
/// A file is written to the folder `.new` and then moved into place in one step. No write is flushed to
/// the disk: after a loss of power a file may be empty, which its digest shows. A folder is first moved
/// to `.removed`, also in one step, before its contents are deleted.
final class CacheFolder: Sendable {
  /// A step in the folder.
  ///
  /// A write goes through the first three, in order.
  enum Step: CaseIterable {
    case make, write, rename, remove, touch
  }

  /// The system's attributes of a file.
  struct Status {
    let size: Int64
    /// The time of the last change, in seconds since 1970.
    let modified: Double
  }

  let path: String

  /// The open folder, so that another folder with its name cannot replace it.
  private let handle: Lock<FileHandle>

  /// A test's closure before a step, which may fail the step or end the process.
  private let willReach: @Sendable (Step) throws(POSIXError) -> Void

  static let newFolder = ".new"
  static let removedFolder = ".removed"

  /// Opens a folder, or makes it if it does not exist.
  ///
  /// - Throws: `DiskCacheError` if it is not a folder, belongs to another user, or is open to others.
  init(
    _ path: String, willReach: @escaping @Sendable (Step) throws(POSIXError) -> Void = { _ in }
  ) throws(DiskCacheError) {
    self.path = path
    self.willReach = willReach
    do throws(PrivacyFault) {
      handle = Lock(try FileHandle.openingOrMakingPrivateFolder(path))
    } catch {
      throw DiskCacheError(error, path)
    }
  }

  /// Reads a file.
  ///
  /// - Parameter limit: The maximum size in bytes. A longer file does not belong to this cache, and is
  ///   read as an empty one.
  /// - Returns: nil if there is no readable file.
  func read(_ name: String, limit: Int) -> (bytes: [UInt8], status: Status)? {
    // Opening a pipe without a writer would block.
    guard let file = try? FileHandle.opening(name, in: root, O_RDONLY | O_NONBLOCK) else {
      return nil
    }
    var status = stat()
    guard fstat(file.fileDescriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      return nil
    }
    let known = Status(status)
    if known.size > Int64(limit) { return ([], known) }
    guard let bytes = try? file.readBytes(Int(clamping: known.size)) else { return nil }
    return (bytes, known)
  }

  /// Returns the attributes of a plain file; nil if there is none.
  func status(of name: String) -> Status? {
    var status = stat()
    guard fstatat(root.fileDescriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0,
      status.st_mode & S_IFMT == S_IFREG
    else { return nil }
    return Status(status)
  }

  /// Replaces a file in one step.
  ///
  /// After a failure, no part of the new file remains.
  func write(_ bytes: [UInt8], to name: CacheFileName) throws(DiskCacheError) {
    let new = "\(Self.newFolder)/\(Self.uniqueName())"
    do {
      try willReach(.make)
      let file = try making([Self.newFolder]) { root throws(POSIXError) in
        try FileHandle.opening(new, in: root, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
      }
      try willReach(.write)
      try file.writeAll(Data(bytes))
      try willReach(.rename)
      try move(new, to: name.path, in: [name.folder, "\(name.folder)/\(name.shard)"])
    } catch {
      unlinkat(root.fileDescriptor, new, 0)
      throw DiskCacheError(error, place(of: name.path))
    }
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws(DiskCacheError) {
    do throws(POSIXError) {
      try willReach(.remove)
      guard unlinkat(root.fileDescriptor, name, 0) == 0 else { throw .last }
    } catch {
      // A read-only disk refuses the call even if the file does not exist.
      if status(of: name) != nil { throw DiskCacheError(error, place(of: name)) }
    }
  }

  /// Removes a folder with its contents, if it exists.
  func removeFolder(_ name: String) throws(DiskCacheError) {
    var status = stat()
    guard fstatat(root.fileDescriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return }
    do throws(POSIXError) {
      try willReach(.remove)
      try move(
        name, to: "\(Self.removedFolder)/\(Self.uniqueName())", in: [Self.removedFolder])
    } catch {
      // Another process was faster.
      if error.code == .ENOENT { return }
      throw DiskCacheError(error, place(of: name))
    }
    emptyRemoved()
  }

  /// Removes a folder if it is empty.
  func removeIfEmpty(_ name: String) {
    unlinkat(root.fileDescriptor, name, AT_REMOVEDIR)
  }

  /// Deletes the folders that this process, or one that was killed, moved aside.
  func emptyRemoved() {
    for name in names(in: Self.removedFolder) {
      try? FileManager.default.removeItem(atPath: place(of: "\(Self.removedFolder)/\(name)"))
    }
  }

  /// Marks a file as used now.
  ///
  /// - Returns: Whether that is possible.
  func touch(_ name: String) -> Bool {
    guard (try? willReach(.touch)) != nil else { return false }
    return utimensat(root.fileDescriptor, name, nil, AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT
  }

  /// Returns the names in a folder; none if it does not exist.
  func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: place(of: folder))) ?? []
  }

  private func place(of name: String) -> String { "\(path)/\(name)" }

  private static func uniqueName() -> String {
    CacheFileName.hex(UInt128.random(in: .min ... .max))
  }
}

extension CacheFolder {
  private var root: FileHandle { handle.withLock { $0 } }

  private func move(
    _ name: String, to target: String, in folders: [String]
  ) throws(POSIXError) {
    try making(folders) { root throws(POSIXError) in
      guard renameat(root.fileDescriptor, name, root.fileDescriptor, target) == 0 else {
        throw .last
      }
    }
  }

  /// Runs a function that needs some folders, and makes the folders that are missing.
  ///
  /// It tries a few times, because other processes remove empty folders.
  private func making<Value>(
    _ folders: [String], _ body: (FileHandle) throws(POSIXError) -> Value
  ) throws(POSIXError) -> Value {
    for _ in 0..<3 {
      do {
        return try body(root)
      } catch {
        guard error.code == .ENOENT else { throw error }
      }
      try make(folders)
    }
    return try body(root)
  }

  private func make(_ folders: [String]) throws(POSIXError) {
    for folder in folders {
      if mkdirat(root.fileDescriptor, folder, 0o700) == 0 || errno == EEXIST { continue }
      guard errno == ENOENT else { throw .last }
      // A person, or a system that needs room, has removed the whole folder.
      guard let new = try? FileHandle.openingOrMakingPrivateFolder(path) else {
        throw POSIXError(.ENOENT)
      }
      handle.withLock { $0 = new }
      guard mkdirat(root.fileDescriptor, folder, 0o700) == 0 || errno == EEXIST else {
        throw .last
      }
    }
  }
}

extension CacheFolder.Status {
  fileprivate init(_ status: stat) {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    self.init(
      size: Int64(status.st_size),
      modified: Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
  }
}
