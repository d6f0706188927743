import Foundation
import Streams

/// The folder of a cache.
///
/// The folder and its files are accessible to their owner only.
///
/// A file is written to the folder `.new` and then moved into place in one step. No write is
/// flushed to the disk: after a loss of power a file may be empty, which its digest shows. A folder
/// is first moved to `.removed`, also in one step, before its contents are deleted.
///
/// Each folder in it is opened by itself, so that no symbolic link in its place is followed. An
/// error is never read as "none": only what the system calls missing is missing.
final class CacheFolder: Sendable {
  /// A step in the folder.
  ///
  /// A write goes through the first three, in order.
  enum Step: CaseIterable {
    case make, write, rename, remove, touch, mark, list
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
  static let tombstoneFolder = ".tombstones"

  /// Opens a folder, or makes it if it does not exist.
  ///
  /// - Throws: `DiskCacheError` if it is not a folder, belongs to another user, or is open to
  ///   others.
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

  /// Runs a function while no other process changes the folder.
  ///
  /// The system ends the lock of a process that is killed. Some network file systems have no locks:
  /// there the function runs nevertheless.
  ///
  /// - Parameter body: A function that gets whether there is a lock.
  func exclusively<Value>(_ body: (_ isLocked: Bool) -> Value) -> Value {
    let root = root
    let isLocked = (try? root.takeLock(waiting: true)) == true
    defer { if isLocked { flock(root.fileDescriptor, LOCK_UN) } }
    return body(isLocked)
  }

  /// Reads a file.
  ///
  /// - Parameter limit: The maximum size in bytes. A longer file does not belong to this cache, and
  ///   is read as an empty one.
  /// - Returns: nil if there is no plain file.
  func read(
    _ name: String, limit: Int
  ) throws(DiskCacheError) -> (bytes: [UInt8], status: Status)? {
    try ifPresent(name) { (folder, leaf) throws(POSIXError) in
      // Opening a pipe without a writer would block.
      let file = try FileHandle.opening(leaf, in: folder, O_RDONLY | O_NONBLOCK)
      var status = stat()
      guard fstat(file.fileDescriptor, &status) == 0 else { throw .last }
      guard status.st_mode & S_IFMT == S_IFREG else { return nil }
      let known = Status(status)
      if known.size > Int64(limit) { return ([], known) }
      return (try file.readBytes(Int(clamping: known.size)), known)
    }
  }

  /// Returns the attributes of a plain file; nil if there is none.
  func status(of name: String) throws(DiskCacheError) -> Status? {
    try ifPresent(name) { (folder, leaf) throws(POSIXError) in
      var status = stat()
      guard fstatat(folder.fileDescriptor, leaf, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
        throw .last
      }
      return status.st_mode & S_IFMT == S_IFREG ? Status(status) : nil
    }
  }

  /// Replaces a file in one step.
  ///
  /// After a failure, no part of the new file remains.
  func write(_ bytes: [UInt8], to name: CacheFileName) throws(DiskCacheError) {
    let new = "\(Self.newFolder)/\(Self.uniqueName())"
    do {
      try willReach(.make)
      let file = try making([Self.newFolder]) { () throws(POSIXError) in
        try inFolder(of: new) { (folder, leaf) throws(POSIXError) in
          try FileHandle.opening(leaf, in: folder, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
        }
      }
      try willReach(.write)
      try file.writeAll(Data(bytes))
      try willReach(.rename)
      try move(new, to: name.path, in: [name.folder, "\(name.folder)/\(name.shard)"])
    } catch {
      try? unlink(new)
      throw DiskCacheError(error, place(of: name.path))
    }
  }

  /// Makes a file of a time, in seconds since 1970, or gives one this time.
  ///
  /// The file has the time as its content and as its time of change, which some file systems cut to
  /// whole seconds. Without room for the content, there is only that.
  func mark(_ name: String, _ time: Double) throws(DiskCacheError) {
    do throws(POSIXError) {
      try willReach(.mark)
      let file = try making([Self.tombstoneFolder]) { () throws(POSIXError) in
        try inFolder(of: name) { (folder, leaf) throws(POSIXError) in
          try FileHandle.opening(leaf, in: folder, O_WRONLY | O_CREAT | O_NONBLOCK, mode: 0o600)
        }
      }
      try? file.writeAll(Self.content(time))
      let seconds = time.rounded(.down)
      let moment = timespec(
        tv_sec: .init(clamping: Int64(seconds)),
        tv_nsec: .init(clamping: Int64((time - seconds) * 1e9)))
      guard futimens(file.fileDescriptor, [moment, moment]) == 0 else { throw .last }
    } catch {
      throw DiskCacheError(error, place(of: name))
    }
  }

  /// Returns the time of a file that `mark(_:_:)` has made; nil if there is none.
  func markedTime(_ name: String) throws(DiskCacheError) -> Double? {
    guard let file = try read(name, limit: 8) else { return nil }
    let modified = file.status.modified
    guard file.bytes.count == 8 else { return modified }
    let bits = file.bytes.reversed().reduce(0 as UInt64) { $0 << 8 | UInt64($1) }
    let time = Double(bitPattern: bits)
    // A write that found no room may have left an earlier time.
    return time.isFinite ? max(time, modified) : modified
  }

  /// Returns the bytes of a time, the lowest first.
  private static func content(_ time: Double) -> Data {
    Data((0..<8).map { UInt8(truncatingIfNeeded: time.bitPattern >> (8 * $0)) })
  }

  /// Removes a file, if it is there.
  func remove(_ name: String) throws(DiskCacheError) {
    do throws(POSIXError) {
      try willReach(.remove)
      try unlink(name)
    } catch {
      // A read-only disk refuses the call even if the file does not exist.
      if isPresent(name) { throw DiskCacheError(error, place(of: name)) }
    }
  }

  /// Removes a folder with its contents from its place, if it exists.
  ///
  /// `emptyRemoved()` deletes it.
  func removeFolder(_ name: String) throws(DiskCacheError) {
    guard isPresent(name) else { return }
    do throws(POSIXError) {
      try willReach(.remove)
      try move(
        name, to: "\(Self.removedFolder)/\(Self.uniqueName())", in: [Self.removedFolder])
    } catch {
      // A process without the lock was faster.
      if isPresent(name) { throw DiskCacheError(error, place(of: name)) }
    }
  }

  /// Removes a folder if it is empty.
  func removeIfEmpty(_ name: String) {
    try? inFolder(of: name) { (folder, leaf) throws(POSIXError) in
      _ = unlinkat(folder.fileDescriptor, leaf, AT_REMOVEDIR)
    }
  }

  /// Deletes the folders that this process, or one that was killed, moved aside.
  func emptyRemoved() {
    for name in (try? names(in: Self.removedFolder)) ?? [] {
      let path = "\(Self.removedFolder)/\(name)"
      // Another file than a folder, such as a symbolic link, has no contents.
      if (try? unlink(path)) != nil { continue }
      try? FileManager.default.removeItem(atPath: place(of: path))
    }
  }

  /// Marks a file as used now.
  ///
  /// - Returns: Whether that is possible.
  func touch(_ name: String) -> Bool {
    guard (try? willReach(.touch)) != nil else { return false }
    return utimensat(root.fileDescriptor, name, nil, AT_SYMLINK_NOFOLLOW) == 0 || errno == ENOENT
  }

  /// Returns the names in a folder; none if there is no such folder.
  func names(in folder: String) throws(DiskCacheError) -> [String] {
    do throws(POSIXError) {
      try willReach(.list)
      return try opening(folder).names()
    } catch {
      if error.isAbsence { return [] }
      throw DiskCacheError(error, place(of: folder))
    }
  }

  private func place(of name: String) -> String { "\(path)/\(name)" }

  private static func uniqueName() -> String {
    CacheFileName.hex(UInt128.random(in: .min ... .max))
  }
}

extension CacheFolder {
  private var root: FileHandle { handle.withLock { $0 } }

  /// Opens a folder in the cache's folder.
  private func opening(_ folder: String) throws(POSIXError) -> FileHandle {
    var handle = root
    for name in folder.split(separator: "/") where name != "." {
      handle = try .opening(String(name), in: handle, O_RDONLY | O_DIRECTORY)
    }
    return handle
  }

  /// Runs a function with the open folder of a file, and with the file's name there.
  private func inFolder<Value>(
    of name: String, _ body: (FileHandle, String) throws(POSIXError) -> Value
  ) throws(POSIXError) -> Value {
    let slash = name.lastIndex(of: "/")
    let folder = try opening(slash.map { String(name[..<$0]) } ?? ".")
    defer { withExtendedLifetime(folder) {} }
    return try body(folder, slash.map { String(name[$0...].dropFirst()) } ?? name)
  }

  /// Returns what a function finds in the folder of a file; nil if something on the way is missing.
  private func ifPresent<Value>(
    _ name: String, _ body: (FileHandle, String) throws(POSIXError) -> Value?
  ) throws(DiskCacheError) -> Value? {
    do throws(POSIXError) {
      return try inFolder(of: name, body)
    } catch {
      if error.isAbsence { return nil }
      throw DiskCacheError(error, place(of: name))
    }
  }

  /// Whether there is a file or a folder.
  ///
  /// This needs no descriptor, so that a process without any knows it, too.
  private func isPresent(_ name: String) -> Bool {
    var status = stat()
    return fstatat(root.fileDescriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0
      || !POSIXError.last.isAbsence
  }

  private func unlink(_ name: String) throws(POSIXError) {
    try inFolder(of: name) { (folder, leaf) throws(POSIXError) in
      guard unlinkat(folder.fileDescriptor, leaf, 0) == 0 else { throw .last }
    }
  }

  private func move(
    _ name: String, to target: String, in folders: [String]
  ) throws(POSIXError) {
    try making(folders) { () throws(POSIXError) in
      try inFolder(of: name) { (source, old) throws(POSIXError) in
        try inFolder(of: target) { (folder, new) throws(POSIXError) in
          guard renameat(source.fileDescriptor, old, folder.fileDescriptor, new) == 0 else {
            throw .last
          }
        }
      }
    }
  }

  /// Runs a function that needs some folders, and makes the folders that are missing.
  ///
  /// It tries a few times, because other processes remove empty folders.
  private func making<Value>(
    _ folders: [String], _ body: () throws(POSIXError) -> Value
  ) throws(POSIXError) -> Value {
    for _ in 0..<3 {
      do {
        return try body()
      } catch {
        guard error.code == .ENOENT else { throw error }
      }
      try make(folders)
    }
    return try body()
  }

  private func make(_ folders: [String]) throws(POSIXError) {
    for folder in folders {
      do {
        try makeOne(folder)
      } catch {
        guard error.code == .ENOENT else { throw error }
        // A person, or a system that needs room, has removed the whole folder.
        guard let new = try? FileHandle.openingOrMakingPrivateFolder(path) else {
          throw POSIXError(.ENOENT)
        }
        handle.withLock { $0 = new }
        try makeOne(folder)
      }
    }
  }

  private func makeOne(_ folder: String) throws(POSIXError) {
    try inFolder(of: folder) { (parent, leaf) throws(POSIXError) in
      guard mkdirat(parent.fileDescriptor, leaf, 0o700) == 0 || errno == EEXIST else {
        throw .last
      }
    }
  }
}

extension POSIXError {
  /// Whether there is no such file, or something on its path is no folder of its own.
  fileprivate var isAbsence: Bool {
    switch code {
    case .ENOENT, .ENOTDIR, .ELOOP: true
    default: false
    }
  }
}

extension FileHandle {
  /// Returns the names in this open folder.
  fileprivate func names() throws(POSIXError) -> [String] {
    // Reading moves the place in an open folder, so it is opened once more.
    let descriptor = openat(fileDescriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .last }
    guard let folder = fdopendir(descriptor) else {
      let failure = POSIXError.last
      Foundation.close(descriptor)
      throw failure
    }
    defer { closedir(folder) }
    var names: [String] = []
    while true {
      // Only this tells the end from a failure.
      errno = 0
      guard let entry = readdir(folder) else { break }
      // The name is as long as the entry, and not as its type says.
      let start = MemoryLayout<dirent>.offset(of: \.d_name) ?? 0
      let name = (UnsafeRawPointer(entry) + start).assumingMemoryBound(to: CChar.self)
      names.append(String(cString: name))
    }
    guard errno == 0 else { throw .last }
    return names.filter { $0 != "." && $0 != ".." }
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
