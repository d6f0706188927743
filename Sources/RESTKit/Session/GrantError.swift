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
  /// Permanent is only what says that the grant is dead: the `error` `invalid_grant` of RFC 6749
  /// §5.2, with any status of success or of a refusal except 408 and 429, and
  /// ``RefreshError/noRefreshToken``. Every other failure is transient: a 400 or 401 without that
  /// code, `invalid_client` and the other codes that blame the client, a proxy's 403, and a
  /// response without a token. If the server may have acted and its response was cut off, the
  /// response counts as lost.
  ///
  /// For a server that says in a way of its own that a refresh token is dead, such as with a bare
  /// 401, the grants have a parameter `finalRefusals`. A grant of your own fails with
  /// ``permanent(_:)`` itself.
  public init(_ error: any Error) {
    switch error {
    case let failure as GrantError:
      self = failure
    case RefreshError.noRefreshToken:
      self = .permanent(error)
    case let error as RESTError:
      self.init(error.readAsTokenResponse)
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
    case .status(let status)
    where Self.isAnswer(status) && error.oauthCode == OAuthErrorCode.deadGrant:
      self = .permanent(error)
    case .transport(let kind) where Self.losesResponse(kind, error):
      self = .responseLost(error)
    default:
      self = .transient(error, retryAfter: error.response?.headers.retryAfter())
    }
  }

  /// Whether a server that answers with a status has judged the request.
  ///
  /// A limit and a failure of the server come before the judgment.
  private static func isAnswer(_ status: Int) -> Bool {
    (200...299).contains(status)
      || (400...499).contains(status) && status != 408 && status != 429
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
      oauthCode != nil
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

  /// The code of a grant that the server will never accept again.
  static let deadGrant = "invalid_grant"

  /// The codes that only a change of the client, or of its registration, can end.
  static let faultsOfClient: Set = [
    "invalid_request", "invalid_client", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope",
  ]

  /// The codes of a server in trouble (RFC 6749 §4.1.2.1), or in haste (RFC 8628 §3.5).
  static let passing: Set = ["server_error", "temporarily_unavailable", "slow_down"]

  private enum CodingKeys: String, CodingKey {
    case text = "error"
  }

  /// - Returns: nil for a body without a code.
  init?(body: Data) {
    guard let code = try? JSONDecoder().decode(Self.self, from: body) else { return nil }
    self = code
  }
}

extension RESTError {
  /// The code of the OAuth 2 error in the body; nil if there is none.
  var oauthCode: String? { body.flatMap(OAuthErrorCode.init(body:))?.text }
}

/// The reason why there is no token although no request failed.
///
/// It is the cause in a ``GrantError`` or a ``TokenSessionError``, in place of a request's error.
public enum RefreshError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no refresh token to send. Nothing was sent.
  ///
  /// As the cause of ``GrantError/permanent(_:)``, it ends the session only if the access token has
  /// expired or was refused.
  case noRefreshToken
  /// The response contains an empty access token. Nothing was stored.
  case emptyAccessToken
  /// A token of the response contains a control character, such as a line feed or NUL, which no
  /// request can carry. Its name is `accessToken` or `refreshToken`. Nothing was stored.
  case unusableToken(name: String)
  /// The refresh ended without a response. Nothing was stored.
  case noResponse

  public var description: String {
    switch self {
    case .noRefreshToken:
      "There is no refresh token to send. Sign in again."
    case .emptyAccessToken:
      "The token response has an empty access token. Check the identity server's log."
    case .unusableToken(let name):
      "The \(name) of the token response contains a control character. Check the identity server's "
        + "log."
    case .noResponse:
      "The refresh ended without a token. The grant must deliver a token or fail."
    }
  }
}
