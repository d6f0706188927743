import Foundation

extension POSIXError {
  /// The error of the system call that has just failed.
  package static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension FileHandle {
  /// Opens a file.
  ///
  /// A process that is started later does not inherit it, and a symbolic link is not followed.
  ///
  /// - Parameters:
  ///   - path: The path, relative to `folder` if there is one.
  ///   - folder: An open folder, which stays the same if it is renamed.
  ///   - flags: Flags such as `O_RDONLY`.
  ///   - mode: The permissions of a file that is made.
  package static func opening(
    _ path: String, in folder: FileHandle? = nil, _ flags: Int32, mode: mode_t = 0o600
  ) throws(POSIXError) -> FileHandle {
    let descriptor = openat(
      folder?.fileDescriptor ?? AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { throw .last }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Takes the file's lock.
  ///
  /// No other handle, in this process or another, gets the lock while this handle is open.
  ///
  /// - Parameter waiting: Whether to wait for the present owner.
  /// - Returns: Whether this handle has the lock now.
  package func takeLock(waiting: Bool) throws(POSIXError) -> Bool {
    while flock(fileDescriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .last }
    }
    return true
  }

  /// Whether a path leads to this open file, and not to another one or none.
  ///
  /// Between the opening of a file and its lock, the former owner of the lock may move or remove
  /// it.
  package func isFile(at path: String) -> Bool {
    var mine = stat()
    var other = stat()
    return fstat(fileDescriptor, &mine) == 0 && lstat(path, &other) == 0
      && mine.st_dev == other.st_dev && mine.st_ino == other.st_ino
  }

  /// Whether this is a plain file of this process's user that has no second name.
  ///
  /// In a folder that others may write to, anything else may be theirs, or one of this user's other
  /// files.
  package var isOwn: Bool {
    var status = stat()
    return fstat(fileDescriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
      && status.st_uid == geteuid() && status.st_nlink <= 1
  }

  /// Returns another handle of the same open file, with the same lock.
  package func duplicated() throws(POSIXError) -> FileHandle {
    let descriptor = fcntl(fileDescriptor, F_DUPFD_CLOEXEC, 0)
    guard descriptor >= 0 else { throw .last }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Releases the file's lock, and closes the file.
  ///
  /// Closing alone would leave the lock for a moment to a process that is being started: until it
  /// runs, it has all files that are open here.
  package func closeWithLock() {
    flock(fileDescriptor, LOCK_UN)
    try? close()
  }

  /// Writes all bytes, or fails with the system's error code.
  package func writeAll(_ data: Data) throws(POSIXError) {
    var rest = data
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes {
        Foundation.write(fileDescriptor, $0.baseAddress, $0.count)
      }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw .last
      }
    }
  }

  /// Waits until the content of the file, or the names in the folder, would survive a loss of
  /// power.
  ///
  /// On Apple's systems `fsync` hands the bytes over to the drive, which may keep them in a memory
  /// of its own. `F_FULLFSYNC` makes the drive write them (fsync(2), fcntl(2)). A file system
  /// without this command, such as one of a network, gets `fsync`. A drive that fails to write does
  /// not: the system tells of lost bytes once, and `fsync` would succeed.
  package func writeToMedium() throws(POSIXError) {
    #if canImport(Darwin)
      while true {
        if fcntl(fileDescriptor, F_FULLFSYNC) == 0 { return }
        if errno == EIO || errno == ENOSPC || errno == EDQUOT { throw .last }
        if errno != EINTR { break }
      }
    #endif
    while fsync(fileDescriptor) != 0 {
      guard errno == EINTR else { throw .last }
    }
  }

  /// Reads a number of bytes, or fewer if the file ends.
  package func readBytes(_ count: Int) throws(POSIXError) -> [UInt8] {
    var failure: POSIXError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      while filled < count, failure == nil {
        let added = Foundation.read(
          fileDescriptor, buffer.baseAddress.map { $0 + filled }, count - filled)
        if added == 0 { break }
        if added > 0 {
          filled += added
        } else if errno != EINTR {
          failure = .last
        }
      }
    }
    if let failure { throw failure }
    return bytes
  }
}

extension FileManager {
  /// Returns the attributes of a file that can be read from its start to its end.
  ///
  /// - Throws: An error for a URL that is not a file URL, because its path would be taken for a
  ///   local one. An error for a folder, which opens as the longest of all files, or for a pipe,
  ///   which opens only when it has a writer.
  package func attributesOfRegularFile(at url: URL) throws -> [FileAttributeKey: Any] {
    guard url.isFileURL else { throw CocoaError(.fileReadUnsupportedScheme) }
    let path = url.resolvingSymlinksInPath().path
    let attributes = try attributesOfItem(atPath: path)
    switch attributes[.type] as? FileAttributeType {
    case .typeRegular: break
    case .typeDirectory: throw POSIXError(.EISDIR)
    default: throw POSIXError(.ESPIPE)
    }
    guard isReadableFile(atPath: path) else { throw CocoaError(.fileReadNoPermission) }
    return attributes
  }
}
