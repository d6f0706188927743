import RESTKit

/// Why there is no profile.
public enum FetchProfileError: Error, Sendable {
  /// The session has no access token to send: nobody is signed in, or no new one could be had.
  case session(TokenSessionError)
  /// The access token was refused again after a refresh.
  case unauthorized(RESTError)
  /// The answer was not a profile: not JSON, or JSON of another shape.
  case malformedResponse(RESTError)
  /// The server answered with another status, or there was no answer.
  case requestFailed(any Error)

  init(_ error: any Error) {
    switch error {
    case let error as TokenSessionError: self = .session(error)
    case let error as RESTError where error.isUnauthorized: self = .unauthorized(error)
    case let error as RESTError where error.kind == .malformedResponse || error.kind == .decoding:
      self = .malformedResponse(error)
    default: self = .requestFailed(error)
    }
  }
}

extension FetchProfileError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .session(let error):
      "No profile. \(error)"
    case .unauthorized(let error):
      "No profile: the access token was refused again after a refresh. \(error)"
    case .malformedResponse(let error):
      "No profile. \(error)"
    case .requestFailed(let error):
      "No profile. \(error)"
    }
  }
}
