import Foundation
import Streams

/// A grant that renews a token with JSON.
///
/// Unless the parameters say otherwise, the grant sends `POST auth/refresh` with `{"refreshToken":
/// "…"}` and expects a response like this one:
///
/// ```json
/// {"accessToken": "…", "refreshToken": "…", "expiresIn": 3600}
/// ```
///
/// - The response's status is 200...299, and its body is a JSON object. The members may stand in an
///   object under `result`.
/// - `accessToken` is required. Without `refreshToken`, the session keeps the old one. Without
///   `expiresIn`, in seconds, the session uses the token until a server refuses it.
/// - The response may use the spelling of OAuth, `access_token`, instead.
///
/// ``Names`` changes the names. A server with another method takes a parameter:
///
/// ```swift
/// JSONRefreshGrant(
///   baseURL: "https://id.example.com", method: .put, endpoint: "session",
///   names: JSONRefreshGrant.Names(sentRefreshToken: "token"), extraFields: ["device": deviceID])
/// ```
///
/// A response with `{"error": "invalid_grant"}` ends the session (RFC 6749 §5.2). A server that
/// says in another way that a refresh token is dead needs `finalRefusals`: its bare 401 keeps the
/// session otherwise, since a proxy and a client's fault are answered like that, too.
///
/// A redirect fails, because the redirected request would contain the refresh token.
public struct JSONRefreshGrant: TokenGrant {
  private struct API: RESTAPI {
    let baseURL: String
    let transport: any Transport
  }

  private let api: API
  private let method: HTTPMethod
  private let endpoint: String
  private let names: Names
  private let extraFields: [String: String]
  private let finalRefusals: RefusalRule?
  private let retryAfter: (@Sendable (RESTResponse) -> Duration?)?

  /// - Parameters:
  ///   - baseURL: The base URL of the API that renews tokens.
  ///   - method: The method of the request.
  ///   - endpoint: The path of the refresh below the base URL.
  ///   - names: The names of the members of the request and the response.
  ///   - extraFields: Further members of the request, such as the id of a client.
  ///   - finalRefusals: A rule for the responses that end the session because the refresh token is
  ///     dead, such as `.status(401)` or
  ///     `.status(403).and(.errorCode(["M_UNKNOWN_TOKEN"], in: "errcode"))`. It adds to those that
  ///     ``GrantError/init(_:)`` calls permanent.
  ///   - retryAfter: A closure that reads, from a response that gives no token for now, the time
  ///     after which the server wants the next request, for a server that names it in the body; as
  ///     ``RetryPolicy/retryAfter``.
  ///   - transport: The transport that sends the request.
  public init(
    baseURL: String, method: HTTPMethod = .post, endpoint: String = "auth/refresh",
    names: Names = Names(), extraFields: [String: String] = [:],
    finalRefusals: RefusalRule? = nil,
    retryAfter: (@Sendable (RESTResponse) -> Duration?)? = nil, transport: any Transport = .shared
  ) {
    api = API(baseURL: baseURL, transport: transport)
    self.method = method
    self.endpoint = endpoint
    self.names = names
    self.extraFields = extraFields
    self.finalRefusals = finalRefusals
    self.retryAfter = retryAfter
  }

  public func token(renewing credential: Credential?) -> AnyPublisher<TokenResponse, GrantError> {
    guard let refreshToken = credential?.refreshToken, !refreshToken.isEmpty else {
      return Fail(error: .permanent(RefreshError.noRefreshToken)).eraseToAnyPublisher()
    }
    var fields = extraFields
    fields[names.sentRefreshToken] = refreshToken
    return api.request(method, endpoint: endpoint, body: .json(fields)) { $0.acceptingJSON() }
      .context(RedirectBound.Key.self, .place)
      .ending(by: finalRefusals)
      .unwrapResultJSON(key: names.envelope)
      .tryMap { [names] in try $0.token(named: names).token }
      .mapError { [retryAfter, members = fields.keys.sorted()] error in
        guard let error = error as? RESTError else { return GrantError(error) }
        let failure = GrantError(error.readAsTokenResponse.naming(members))
        return retryAfter.map { failure.waiting(readBy: $0) } ?? failure
      }
      .eraseToAnyPublisher()
  }
}

extension GrantError {
  /// This failure, with the wait that a closure reads from the response.
  fileprivate func waiting(readBy read: (RESTResponse) -> Duration?) -> GrantError {
    guard case .transient(let cause, let named) = self,
      let wait = (cause as? RESTError)?.wait(readBy: read)
    else { return self }
    return .transient(cause, retryAfter: max(named ?? .zero, wait))
  }
}

extension RESTError {
  /// This error of a refresh, with the members that were sent if the server may miss others.
  fileprivate func naming(_ members: [String]) -> RESTError {
    guard kind == .status(400) || kind == .status(422), oauthCode != OAuthErrorCode.deadGrant
    else { return self }
    let list = members.map { "`\($0)`" }.joined(separator: ", ")
    return replacing(
      remedy: "The refresh sent \(list). If the server expects other members, say so with `names` "
        + "or `extraFields` of JSONRefreshGrant. \(remedy)")
  }
}

extension JSONRefreshGrant: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
  /// The method and the path, without the extra fields, which may be secrets.
  public var description: String { "JSONRefreshGrant(\(method) \(endpoint))".printable }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

extension JSONRefreshGrant {
  /// The names of the members of a refresh's request and response, and of the response to a
  /// ``JSONSignInGrant``.
  ///
  /// ```swift
  /// // {"refresh": "…"} is answered with {"data": {"token": "…", "refresh": "…", "ttl": 3600}}
  /// let names = JSONRefreshGrant.Names(
  ///   sentRefreshToken: "refresh", accessToken: "token", refreshToken: "refresh", lifetime: "ttl",
  ///   envelope: "data")
  ///
  /// // {"refresh_token": "…"} is answered with {"access_token": "…", "expires_in_ms": 300000}
  /// let names = JSONRefreshGrant.Names(
  ///   sentRefreshToken: "refresh_token", lifetime: "expires_in_ms")
  /// ```
  public struct Names: Sendable, Hashable {
    /// The member of the request that holds the refresh token.
    public var sentRefreshToken: String
    /// The member of the response that holds the access token, a string.
    public var accessToken: String
    /// The member of the response that holds the new refresh token, a string.
    ///
    /// It may be absent.
    public var refreshToken: String
    /// The member of the response that holds the lifetime, in ``lifetimeUnit``.
    ///
    /// It may be absent.
    public var lifetime: String
    /// The unit of the lifetime; nil for the unit that its name says.
    ///
    /// A name that ends with `ms`, `Ms`, `millis` or `milliseconds` as a word of its own, such as
    /// `expires_in_ms` or `expiresInMs`, says milliseconds, and any other name says seconds.
    ///
    /// A lifetime that makes no sense is not believed, and the log of the refresh says so: one in
    /// seconds whose name says milliseconds, one in milliseconds whose name ends with `sec`, `secs`
    /// or `seconds`, and one in milliseconds that is below a second. Then the token is used until a
    /// server refuses it.
    public var lifetimeUnit: LifetimeUnit?
    /// The member of the response whose object contains the others.
    ///
    /// It may be absent: then the response itself contains them.
    public var envelope: String
    /// The member of the response that holds the owner of the credential, a string or an integer,
    /// for a ``JSONSignInGrant``; nil if there is none.
    ///
    /// It may be absent. A refresh does not read it: it keeps the account.
    public var account: String?
    /// The members of the response that the credential keeps as ``Credential/extras``, such as the
    /// id of a device.
    ///
    /// Each may be absent.
    public var extras: [String]

    /// Creates the names.
    ///
    /// The response may always have the names of ``TokenResponse`` instead.
    public init(
      sentRefreshToken: String = "refreshToken", accessToken: String = "accessToken",
      refreshToken: String = "refreshToken", lifetime: String = "expiresIn",
      lifetimeUnit: LifetimeUnit? = nil, envelope: String = "result", account: String? = nil,
      extras: [String] = []
    ) {
      self.sentRefreshToken = sentRefreshToken
      self.accessToken = accessToken
      self.refreshToken = refreshToken
      self.lifetime = lifetime
      self.lifetimeUnit = lifetimeUnit
      self.envelope = envelope
      self.account = account
      self.extras = extras
    }
  }
}

extension JSONRefreshGrant {
  /// The unit of a token's lifetime.
  public enum LifetimeUnit: Sendable, Hashable {
    case seconds
    case milliseconds
  }
}
