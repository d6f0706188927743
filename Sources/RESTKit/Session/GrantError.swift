import Foundation
import Streams

/// The reason why a grant brought no token, and how its session continues.
///
/// Calls fail with the corresponding ``TokenSessionError``.
public enum GrantError: Error, Sendable {
  /// The server will never renew this credential. The session is over, and the user has to sign in.
  case permanent(any Error)
  /// The failure tells nothing about the credential. The session remains, and a later call tries
  /// again.
  ///
  /// - Parameter retryAfter: The wait that the server asks for, or nil if it asks for none.
  case transient(any Error, retryAfter: Duration? = nil)
  /// The server may have processed the request, and its response is lost. The session sends the
  /// request once more with the same refresh token. A second loss counts as a transient failure.
  case responseLost(any Error)

  /// The underlying error.
  public var cause: any Error {
    switch self {
    case .permanent(let cause), .transient(let cause, _), .responseLost(let cause): cause
    }
  }
}

extension GrantError: CustomStringConvertible {
  public var description: String { "\(cause)" }
}

extension GrantError {
  /// Classifies the failure of a token request.
  ///
  /// A 401 is permanent, and so is a 400 unless the response's `error` blames the request or the
  /// server's state (RFC 6749 §4.1.2.1 and §5.2): the user's session is not at fault then.
  /// `invalid_client` comes with either status, and is permanent with both. So is `invalid_grant`
  /// in a response of status 200 to 299. Every other failure is transient, including a proxy's 403
  /// and a response without a token. If the server may have acted and its response was cut off, the
  /// response counts as lost.
  public init(_ error: any Error) {
    switch error {
    case let failure as GrantError:
      self = failure
    case RefreshError.noRefreshToken:
      self = .permanent(error)
    case let error as RESTError:
      self.init(error)
    default:
      self = .transient(error)
    }
  }

  private init(_ error: RESTError) {
    switch error.kind {
    case .status(let status) where error.underlyingError is TransportError:
      // The body would have told what is refused.
      let fault = (error.underlyingError as? TransportError)?.kind
      self =
        status < 500 && fault.map { Self.losesResponse($0, error) } == true
        ? .responseLost(error)
        : .transient(error, retryAfter: error.response?.headers.retryAfter())
    case .status(401):
      self = .permanent(error)
    case .status(400) where !Self.sparesTheGrant(error),
      .status(200...299) where Self.code(of: error) == "invalid_grant":
      self = .permanent(error)
    case .transport(let kind) where Self.losesResponse(kind, error):
      self = .responseLost(error)
    default:
      self = .transient(error, retryAfter: error.response?.headers.retryAfter())
    }
  }

  /// Whether an error says that the request or the server's state is at fault.
  private static func sparesTheGrant(_ error: RESTError) -> Bool {
    switch code(of: error) {
    case "invalid_request", "unauthorized_client", "unsupported_grant_type", "invalid_scope",
      "server_error", "temporarily_unavailable":
      true
    default:
      false
    }
  }

  private static func code(of error: RESTError) -> String? {
    error.body.flatMap(OAuthErrorCode.init(body:))?.text
  }

  private static func losesResponse(_ kind: TransportError.Kind, _ error: RESTError) -> Bool {
    guard (error.underlyingError as? TransportError)?.mayHaveBeenProcessed == true else {
      return false
    }
    return kind == .connectionClosedBeforeResponse || kind == .connectionReset || kind == .bodyCut
  }
}

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// Fails permanently on a response that a rule names.
  func ending(by rule: RefusalRule?) -> some Publisher<RESTResponse, any Error> {
    tryMap { response in
      guard rule?.refuses(response) != true else {
        throw GrantError.permanent(response.recording(RESTError(unacceptable: response)))
      }
      return response
    }
  }
}

extension RESTError {
  /// This error of reading a token response; or the error that the response itself names, although
  /// its status is one of success, as large providers send it.
  var readAsTokenResponse: RESTError {
    guard let response, (200...299).contains(response.statusCode), kind == .decoding,
      let body, OAuthErrorCode(body: body) != nil
    else { return self }
    return RESTError(
      .status(response.statusCode), reason: "the response is an error, in spite of its status",
      remedy: "Look at the body's error; RFC 6749, section 5.2, lists the codes.",
      request: request, head: response, body: body, attempts: attempts, underlyingError: self)
  }
}

/// The `error` member of an OAuth 2 error body (RFC 6749 §5.2), such as `invalid_grant`.
struct OAuthErrorCode: Decodable {
  let text: String

  private enum CodingKeys: String, CodingKey {
    case text = "error"
  }

  /// - Returns: nil for a body without a code.
  init?(body: Data) {
    guard let code = try? JSONDecoder().decode(Self.self, from: body) else { return nil }
    self = code
  }
}

/// The reason why there is no token although no request failed.
///
/// It is the cause in a ``GrantError`` or a ``TokenSessionError``, in place of a request's error.
public enum RefreshError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no refresh token to send. Nothing was sent.
  case noRefreshToken
  /// The response contains an empty access token. Nothing was stored.
  case emptyAccessToken
  /// The refresh ended without a response. Nothing was stored.
  case noResponse

  public var description: String {
    switch self {
    case .noRefreshToken:
      "There is no refresh token to send. Sign in again."
    case .emptyAccessToken:
      "The token response has an empty access token. Check the identity server's log."
    case .noResponse:
      "The refresh ended without a token. The grant must deliver a token or fail."
    }
  }
}
