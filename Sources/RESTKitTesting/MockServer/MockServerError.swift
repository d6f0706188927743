import Foundation

/// What a ``MockServer`` raises.
public enum MockServerError: Error, Equatable, Sendable {
  /// The server could not begin to listen: the step that failed and the system's reason.
  case cannotStart(step: String, reason: String)
  /// The server stopped before the awaited event came.
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
  /// The error for the system call that just failed; reads `errno`.
  static func systemCall(_ step: String) -> MockServerError {
    .cannotStart(step: step, reason: String(cString: strerror(errno)))
  }
}
