import Foundation

/// A folder that only its owner can use.
///
/// It is held open, so that nothing can replace it between two steps.
struct PrivateFolder {
  let path: String
  private let handle: FileHandle

  /// Opens a folder.
  ///
  /// - Returns: The folder, or nil if there is none.
  /// - Throws: `FileTokenStoreError` if it is a symbolic link, belongs to another user or is open
  ///   to others.
  static func open(_ path: String) throws(FileTokenStoreError) -> PrivateFolder? {
    try opened(path, by: FileHandle.openingPrivateFolder)
      .map { PrivateFolder(path: path, handle: $0) }
  }

  /// Opens a folder, and creates it if there is none.
  static func openOrMake(_ path: String) throws(FileTokenStoreError) -> PrivateFolder {
    PrivateFolder(
      path: path, handle: try opened(path, by: FileHandle.openingOrMakingPrivateFolder))
  }

  private static func opened<Handle>(
    _ path: String, by open: (String) throws(PrivacyFault) -> Handle
  ) throws(FileTokenStoreError) -> Handle {
    do throws(PrivacyFault) {
      return try open(path)
    } catch {
      throw FileTokenStoreError(error, path, isFolder: true)
    }
  }

  /// Reads a whole file.
  ///
  /// - Returns: The content, or nil if there is no file.
  /// - Throws: `FileTokenStoreError` if it is not a plain file, belongs to another user or is open
  ///   to others.
  func read(_ name: String) throws(FileTokenStoreError) -> Data? {
    do {
      return try openChecked(name).map { try $0.readToEnd() ?? Data() }
    } catch {
      throw failure(error, name)
    }
  }

  /// Checks a file as ``read(_:)`` does, if there is one.
  func check(_ name: String) throws(FileTokenStoreError) {
    _ = try openChecked(name)
  }

  /// Creates a file that must not exist yet.
  func make(_ name: String) throws(FileTokenStoreError) -> FileHandle {
    do {
      return try .opening(name, in: handle, O_WRONLY | O_CREAT | O_EXCL, mode: 0o600)
    } catch {
      throw failure(error, name)
    }
  }

  /// Takes the lock of a file, and creates the file if there is none.
  ///
  /// The file stays: its removal would let two processes hold a lock each.
  ///
  /// - Parameter waiting: Whether to wait for the owner of the lock.
  /// - Returns: The locked file, or nil if another process has the lock and `waiting` is false.
  func takeLock(_ name: String, waiting: Bool) throws(FileTokenStoreError) -> FileHandle? {
    do {
      let file = try FileHandle.opening(
        name, in: handle, O_RDWR | O_CREAT | O_NONBLOCK, mode: 0o600)
      try checkFile(file, name)
      return try file.takeLock(waiting: waiting) ? file : nil
    } catch {
      throw failure(error, name)
    }
  }

  /// Replaces a file with another in one atomic step.
  func rename(_ name: String, to target: String) throws(FileTokenStoreError) {
    guard renameat(handle.fileDescriptor, name, handle.fileDescriptor, target) == 0 else {
      throw failure(POSIXError.last, target)
    }
  }

  /// Removes a file if there is one.
  func remove(_ name: String) throws(FileTokenStoreError) {
    guard unlinkat(handle.fileDescriptor, name, 0) == 0 || errno == ENOENT else {
      throw failure(POSIXError.last, name)
    }
  }

  /// Waits until the names are on the disk.
  func synchronize() throws(FileTokenStoreError) {
    do {
      try handle.writeToMedium()
    } catch {
      throw FileTokenStoreError(error, path)
    }
  }

  func path(of name: String) -> String { "\(path)/\(name)" }

  private func openChecked(_ name: String) throws(FileTokenStoreError) -> FileHandle? {
    do {
      // Without O_NONBLOCK, opening a pipe without a writer would wait forever.
      let file = try FileHandle.opening(name, in: handle, O_RDONLY | O_NONBLOCK)
      try checkFile(file, name)
      return file
    } catch let error as POSIXError where error.code == .ENOENT {
      return nil
    } catch {
      throw failure(error, name)
    }
  }

  private func checkFile(_ file: FileHandle, _ name: String) throws(FileTokenStoreError) {
    do throws(PrivacyFault) {
      try file.checkPrivacy(S_IFREG)
    } catch {
      throw FileTokenStoreError(error, path(of: name), isFolder: false)
    }
  }

  private func failure(_ error: any Error, _ name: String) -> FileTokenStoreError {
    switch error {
    case let error as FileTokenStoreError: error
    case let error as POSIXError where error.code == .ELOOP:
      .notAPlainFile(path(of: name), expected: "file")
    default: FileTokenStoreError(error as? POSIXError ?? POSIXError(.EIO), path(of: name))
    }
  }
}
