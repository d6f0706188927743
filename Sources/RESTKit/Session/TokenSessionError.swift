/// The reason why a session could not authorize a call.
///
/// All calls that wait for one refresh get the same error.
public enum TokenSessionError: Error, Sendable {
  /// No user is signed in, or the user signed out or another user signed in after the call began.
  case signedOut
  /// The server refused to renew the credential. The session is over, and the user has to sign in
  /// again.
  ///
  /// If the credential has no refresh token, the cause is ``RefreshError/noRefreshToken``. For a
  /// call whose token was refused, it is the ``RESTError`` of that response, and the
  /// ``RefreshError`` is its `underlyingError`.
  case refreshRefused(any Error)
  /// The refresh failed temporarily. The session remains, and a later call tries again.
  case refreshFailed(any Error)
  /// The refresh took longer than allowed. The session remains, and the next call tries again.
  case refreshTimedOut(after: Duration)
  /// The server refused several new tokens in a row. Refreshes pause for a while.
  case newTokensRefused(count: Int)
  /// A request of the refresh would wait for the refresh itself. Its session must not authorize it.
  case refreshNeedsItself
  /// The token store could not be read. The user is not signed out, and a later call tries again.
  case storeNotReadable(any Error)
  /// The new token could not be stored. The calls that follow use it from memory.
  case storeNotWritable(any Error)
}

extension TokenSessionError {
  /// The error of the refresh or of the store, or nil if neither was the reason.
  public var cause: (any Error)? {
    switch self {
    case .refreshRefused(let cause), .refreshFailed(let cause), .storeNotReadable(let cause),
      .storeNotWritable(let cause):
      cause
    case .signedOut, .refreshTimedOut, .newTokensRefused, .refreshNeedsItself: nil
    }
  }
}

extension TokenSessionError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .signedOut:
      "Nobody is signed in, or the user changed while the call ran. Sign in, and start the call "
        + "again. A call that needs no user says authorization: .none."
    case .refreshRefused(let cause as RefreshError):
      "The session is over. \(cause)"
    case .refreshRefused(let cause as RESTError) where cause.underlyingError is RefreshError:
      "The session is over: the server refused its token, and there is no refresh token. Sign in "
        + "again. \(cause)"
    case .refreshRefused(let cause as RESTError):
      "The session is over: the server does not renew it. Sign in again. If another session uses "
        + "the same refresh token, that one has used it up: share one TokenSession, or one "
        + "TokenStore. \(cause)"
    case .refreshRefused(let cause):
      "The session is over: the server does not renew it. Sign in again. \(cause)"
    case .refreshFailed(let cause):
      "The access token could not be renewed\(Self.outlook(after: cause)) \(cause)"
    case .refreshTimedOut(let time):
      "The access token could not be renewed within \(time). Try again, or allow more time with "
        + "`TokenSessionOptions.refreshTimeout`. If the grant sends its request in a detached task or "
        + "on a queue, the request must not wait for this session: give it `authorization: .none`."
    case .newTokensRefused(let count):
      "The server refused \(count) new access tokens in a row. Check that the API accepts what its "
        + "token endpoint issues: audience, scope, clocks."
    case .refreshNeedsItself:
      "A request of the refresh was authorized by the session that it refreshes, and would wait for itself. "
        + "Send it without authorize(_:)."
    case .storeNotReadable(let cause):
      "The token store could not be read; nobody was signed out. Try again. \(cause)"
    case .storeNotWritable(let cause):
      "The new access token could not be stored. The session uses it from memory, and tries again to store "
        + "it. \(cause)"
    }
  }

  /// The end of the sentence that says whether a later refresh may succeed.
  private static func outlook(after cause: any Error) -> String {
    let failure = cause as? RESTError
    let code = failure?.oauthCode
    switch failure?.kind {
    case .invalidBaseURL, .invalidEndpoint, .invalidRequest, .malformedResponse, .decoding,
      .redirect,
      // The endpoint or its method is wrong.
      .status(404), .status(405):
      return ", and will not be until the grant or the server is corrected."
    case .status where code.map(OAuthErrorCode.faultsOfClient.contains) == true:
      return ", and will not be until the grant or the server is corrected."
    case .status(200...299), .status(400), .status(401), .status(403):
      let isPassing = code.map(OAuthErrorCode.passing.contains) == true
      return isPassing
        ? ". Try again later."
        : ". Try again later. If this response says that the refresh token is dead, name it in the "
          + "grant's `finalRefusals`, or fail with `GrantError.permanent`."
    default:
      return ". Try again later."
    }
  }
}
