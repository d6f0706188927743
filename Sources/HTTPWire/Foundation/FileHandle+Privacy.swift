import Foundation

/// The reason why a file or folder is not its owner's alone.
package enum PrivacyFault: Error {
  /// It is something else, such as a symbolic link.
  case otherType
  case wrongOwner(uid_t)
  case openToOthers(mode: mode_t)
  case system(POSIXError)
}

/// Folders and files that only their owner can use.
extension FileHandle {
  /// Opens a folder.
  ///
  /// Nothing can replace an open folder between two steps.
  ///
  /// - Returns: The folder, or nil if there is none.
  /// - Throws: A fault if it is a symbolic link, belongs to another user or is open to others.
  package static func openingPrivateFolder(_ path: String) throws(PrivacyFault) -> FileHandle? {
    let folder: FileHandle
    do {
      folder = try .opening(path, O_RDONLY | O_DIRECTORY)
    } catch {
      switch error.code {
      case .ENOENT: return nil
      // A symbolic link gives ENOTDIR on Linux, which checks O_DIRECTORY first, and ELOOP
      // elsewhere.
      case .ENOTDIR, .ELOOP: throw .otherType
      default: throw .system(error)
      }
    }
    try folder.checkPrivacy(S_IFDIR)
    return folder
  }

  /// Opens a folder, and makes it and its parents if there are none.
  ///
  /// All of them are made for the owner alone: in a parent that others can change, they could
  /// replace the folder.
  package static func openingOrMakingPrivateFolder(_ path: String) throws(PrivacyFault)
    -> FileHandle
  {
    if let folder = try openingPrivateFolder(path) { return folder }
    for parent in parents(of: path) {
      // What cannot be made is found missing below.
      _ = mkdir(parent, 0o700)
    }
    guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw .system(.last) }
    guard let folder = try openingPrivateFolder(path) else {
      throw .system(POSIXError(.ENOENT))
    }
    return folder
  }

  /// Returns the folders around a folder that do not exist, the outermost first.
  private static func parents(of path: String) -> [String] {
    var missing: [String] = []
    var parent = URL(filePath: path).deletingLastPathComponent()
    while !FileManager.default.fileExists(atPath: parent.path), parent.pathComponents.count > 1 {
      missing.append(parent.path)
      parent = parent.deletingLastPathComponent()
    }
    return missing.reversed()
  }

  /// - Parameter type: `S_IFREG` or `S_IFDIR`.
  /// - Throws: A fault if the file has another type, belongs to another user or is open to others.
  package func checkPrivacy(_ type: mode_t) throws(PrivacyFault) {
    var status = stat()
    guard fstat(fileDescriptor, &status) == 0 else { throw .system(.last) }
    guard status.st_mode & S_IFMT == type else { throw .otherType }
    guard status.st_uid == geteuid() else { throw .wrongOwner(status.st_uid) }
    guard status.st_mode & 0o077 == 0 else {
      throw .openToOthers(mode: status.st_mode & 0o7777)
    }
  }
}
