import RESTKit

/// The reason why there is no profile.
public enum FetchProfileError: Error, Sendable {
  /// The session has no access token: no user is signed in, or a refresh failed.
  case session(TokenSessionError)
  /// The access token was refused again after a refresh.
  case unauthorized(RESTError)
  /// The response was not a profile: not JSON, or JSON of another shape.
  case malformedResponse(RESTError)
  /// The server responded with another status, or there was no response.
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
