import RESTKit

/// Why there is no profile.
public enum FetchProfileError: Error, Sendable {
  /// Nobody is signed in; nothing was sent.
  case signedOut
  /// The token store could not be read.
  case tokenStore(any Error)
  /// The access token was refused, and no new one could be had.
  case refreshFailed(any Error)
  /// The access token was refused again after a refresh.
  case unauthorized(RESTError)
  /// The answer was not a profile: not JSON, or JSON of another shape.
  case malformedResponse(RESTError)
  /// The server answered with another status, or there was no answer.
  case requestFailed(any Error)

  init(_ error: any Error) {
    switch error {
    case TokenSessionError.signedOut: self = .signedOut
    case TokenSessionError.storeNotReadable(let cause): self = .tokenStore(cause)
    case let error as TokenSessionError: self = .refreshFailed(error.cause ?? error)
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
    case .signedOut:
      "No profile: nobody is signed in. Call signIn(_:) first."
    case .tokenStore(let error):
      "No profile: the token store failed. \(error)"
    case .refreshFailed(let error):
      "No profile: the access token was refused and refreshing it failed. \(error)"
    case .unauthorized(let error):
      "No profile: the access token was refused again after a refresh. \(error)"
    case .malformedResponse(let error):
      "No profile. \(error)"
    case .requestFailed(let error):
      "No profile. \(error)"
    }
  }
}
