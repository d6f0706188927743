import Foundation

/// An error of a cache's folder, or of a response that could not be stored in it.
///
/// Its texts name the path and the remedy, and contain nothing of a response or its URL.
public struct DiskCacheError: Error, Sendable, Equatable {
  /// The class of an error.
  public enum Kind: Sendable, Hashable {
    /// The name belongs to something else than a folder, such as a file or a symbolic link, or the
    /// URL is not a file URL.
    case notAFolder
    /// The folder belongs to another user.
    case wrongOwner
    /// Other users may list the folder, or access its contents.
    case openToOthers
    /// The disk has no room for a response.
    case noSpace
    /// Another process cannot identify a transport, so the responses over it stay in memory.
    case transportWithoutRoad
    /// The system refused a call with this code.
    case system(POSIXErrorCode)
  }

  /// The class of the error.
  public let kind: Kind
  /// The path of the file or folder.
  public let path: String
  /// The reason, in words.
  public let reason: String
  /// The remedy, in words.
  public let remedy: String
}

extension DiskCacheError: CustomStringConvertible, LocalizedError {
  public var description: String { "The cache's \(path.printable) \(reason). \(remedy)" }

  public var errorDescription: String? { description }
}

extension DiskCacheError {
  static func notAFolder(_ path: String) -> Self {
    Self(
      kind: .notAFolder, path: path,
      reason: "is not a folder; a symbolic link is not followed",
      remedy: "Remove it, or choose another path.")
  }

  static func wrongOwner(_ path: String, _ owner: uid_t) -> Self {
    Self(
      kind: .wrongOwner, path: path,
      reason: "belongs to user \(owner), but this process runs as \(geteuid())",
      remedy: "Choose a path of this user's own, or correct the owner with chown.")
  }

  static func transportWithoutRoad(_ path: String) -> Self {
    Self(
      kind: .transportWithoutRoad, path: path,
      reason: "keeps no response over a transport that another process cannot identify",
      remedy: "Return the other transport's identity from one that forwards requests unchanged, or"
        + " TransportIdentity(lasting:) from one whose road does not change.")
  }

  static func openToOthers(_ path: String, mode: mode_t) -> Self {
    Self(
      kind: .openToOthers, path: path,
      reason: "is open to others: its mode is \(String(mode, radix: 8)), but must be 700",
      remedy: "Choose a folder that is for the cache alone, and run chmod 700 on it.")
  }

  init(_ fault: PrivacyFault, _ path: String) {
    switch fault {
    case .otherType: self = .notAFolder(path)
    case .wrongOwner(let owner): self = .wrongOwner(path, owner)
    case .openToOthers(let mode): self = .openToOthers(path, mode: mode)
    case .system(let error): self.init(error, path)
    }
  }

  init(_ error: POSIXError, _ path: String) {
    switch error.code {
    case .ENOSPC, .EDQUOT, .EFBIG:
      self.init(
        kind: .noSpace, path: path, reason: "has no room for another response",
        remedy: "Free space on its disk, or lower the cache's maxBytes.")
    case let code:
      self.init(
        kind: .system(code), path: path,
        reason: "cannot be used: \(String(cString: strerror(code.rawValue)))",
        remedy: "Check the disk, and the permissions of the folder and of its parent folders.")
    }
  }
}
