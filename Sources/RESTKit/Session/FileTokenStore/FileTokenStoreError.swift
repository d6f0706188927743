import Foundation

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
  public var description: String { "The token store's \(path) \(reason). \(remedy)" }

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
