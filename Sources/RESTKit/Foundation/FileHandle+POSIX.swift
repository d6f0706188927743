import Foundation

extension POSIXError {
  /// The error of the system call that has just failed.
  static var last: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}

extension FileHandle {
  /// Opens a file that no program started later gets, and never what a symbolic link leads to.
  ///
  /// - Parameters:
  ///   - path: Where it is: relative to `folder`, if there is one.
  ///   - folder: An open folder, which stays the same whatever is renamed around it.
  ///   - flags: `O_RDONLY` and the like.
  ///   - mode: Who may do what with a file that is made.
  static func opening(
    _ path: String, in folder: FileHandle? = nil, _ flags: Int32, mode: mode_t = 0o600
  ) throws(POSIXError) -> FileHandle {
    let descriptor = openat(
      folder?.fileDescriptor ?? AT_FDCWD, path, flags | O_CLOEXEC | O_NOFOLLOW, mode)
    guard descriptor >= 0 else { throw .last }
    return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
  }

  /// Takes the file's lock, which nobody else who asks for it gets, in this process or another, as
  /// long as this handle is open.
  ///
  /// - Parameter waiting: Whether to wait for who has it.
  /// - Returns: Whether this handle has the lock now.
  func takeLock(waiting: Bool) throws(POSIXError) -> Bool {
    while flock(fileDescriptor, waiting ? LOCK_EX : LOCK_EX | LOCK_NB) != 0 {
      if errno == EWOULDBLOCK { return false }
      guard errno == EINTR else { throw .last }
    }
    return true
  }

  /// Gives the file's lock up, and closes it.
  ///
  /// To close it alone would leave the lock for a moment to a program that is being started: until it
  /// runs, it has all that is open here.
  func closeWithLock() {
    flock(fileDescriptor, LOCK_UN)
    try? close()
  }

  /// Writes all bytes, or fails with the system's own code.
  func writeAll(_ data: Data) throws(POSIXError) {
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

  /// Reads so many bytes, or fewer where the file ends.
  func readBytes(_ count: Int) throws(POSIXError) -> [UInt8] {
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
