/// Why a session could not authorize a call: what each call fails with, whoever made it.
///
/// All calls that wait for one refresh get the same error.
public enum TokenSessionError: Error, Sendable {
  /// Nobody is signed in, or somebody signed out, or in as another user, after the call began.
  case signedOut
  /// The server will not renew the credential: the session is over. Sign in again.
  case refreshRefused(any Error)
  /// No new token could be had for now. The session is kept; a later call tries again.
  case refreshFailed(any Error)
  /// The refresh took longer than it may. The session is kept; the next call tries again.
  case refreshTimedOut(after: Duration)
  /// The server refused several new tokens in a row, so that there are no more refreshes for a while.
  case newTokensRefused(count: Int)
  /// What the refresh itself sends waits for the refresh: it must not be authorized by its session.
  case refreshNeedsItself
  /// The token store could not be read. That is no sign-out: a later call tries again.
  case storeNotReadable(any Error)
  /// The new token could not be stored. It is used from memory by the calls that follow.
  case storeNotWritable(any Error)
}

extension TokenSessionError {
  /// What the refresh or the store failed with; nil where that was not the reason.
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
        + "again."
    case .refreshRefused(let cause):
      "The session is over: the server does not renew it. Sign in again. \(cause)"
    case .refreshFailed(let cause) where Self.mayPass(cause):
      "The access token could not be renewed. Try again later. \(cause)"
    case .refreshFailed(let cause):
      "The access token could not be renewed, and will not be until the grant or the server is corrected. "
        + "\(cause)"
    case .refreshTimedOut(let time):
      "The access token could not be renewed within \(time). Try again, or allow more time with "
        + "`TokenSessionOptions.refreshTimeout`."
    case .newTokensRefused(let count):
      "The server refused \(count) new access tokens in a row. Check that the API accepts what its "
        + "token endpoint issues: audience, scope, clocks."
    case .refreshNeedsItself:
      "What the refresh sends is authorized by the session that is to be refreshed. Send it without "
        + "authorize(_:)."
    case .storeNotReadable(let cause):
      "The token store could not be read; nobody was signed out. Try again. \(cause)"
    case .storeNotWritable(let cause):
      "The new access token could not be stored; it is used from memory till then. \(cause)"
    }
  }
  /// Whether a later refresh may succeed without a change of the client or the server.
  private static func mayPass(_ cause: any Error) -> Bool {
    switch (cause as? RESTError)?.kind {
    case .invalidBaseURL, .invalidEndpoint, .invalidRequest, .malformedResponse, .decoding,
      .redirect:
      false
    default: true
    }
  }
}
