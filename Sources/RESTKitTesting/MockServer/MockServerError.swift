import Foundation

/// An error of a ``MockServer``.
public enum MockServerError: Error, Equatable, Sendable {
  /// The server could not start to listen: the failed step and the system's reason.
  case cannotStart(step: String, reason: String)
  /// The server stopped before the awaited event.
  case stopped
}

extension MockServerError: CustomStringConvertible, LocalizedError {
  public var description: String {
    switch self {
    case .cannotStart(let step, let reason):
      "MockServer cannot start: \(step) failed: \(reason)"
    case .stopped:
      "MockServer stopped before the awaited event; stop it only after the await returns"
    }
  }

  public var errorDescription: String? { description }
}

extension MockServerError {
  /// Returns the error of the system call that has just failed; reads `errno`.
  static func systemCall(_ step: String) -> MockServerError {
    .cannotStart(step: step, reason: String(cString: strerror(errno)))
  }
}
