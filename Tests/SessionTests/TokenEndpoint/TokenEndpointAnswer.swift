/// A body with which a token endpoint answers a refresh.
struct TokenEndpointBody: Sendable, Hashable {
  /// The way in which the table names it.
  let name: String
  let text: String
  /// What it says by a standard, or that none gives it a meaning.
  let source: String

  private init(_ name: String, _ text: String, _ source: String) {
    self.name = name
    self.text = text
    self.source = source
  }

  private static func code(_ code: String, _ source: String) -> Self {
    Self("`\(code)`", #"{"error": "\#(code)", "error_description": "Some words."}"#, source)
  }

  private static let client = "the client or its request is at fault (RFC 6749 §5.2)"
  private static let server =
    "the server is in trouble or in haste (RFC 6749 §4.1.2.1, RFC 8628 §3.5)"
  private static let unknown = "no standard says so of a refresh token"
  private static let noError = "it is no error by RFC 6749 §5.2"
  private static let noToken = "it is no token by RFC 6749 §5.1"

  static let invalidGrant = Self.code(
    "invalid_grant", "the refresh token is invalid, expired or revoked (RFC 6749 §5.2)")
  static let token = Self(
    "a token", #"{"access_token": "t1", "refresh_token": "r1", "token_type": "Bearer"}"#,
    "it is a token with a status of success only (RFC 6749 §5.1)")

  static let all: [Self] =
    [token, invalidGrant]
    + ["invalid_client", "invalid_request", "invalid_scope", "unauthorized_client"]
    .map { .code($0, client) } + [.code("unsupported_grant_type", client)]
    + ["server_error", "temporarily_unavailable", "slow_down"].map { .code($0, server) }
    + [
      "access_denied", "expired_token", "authorization_pending", "invalid_token",
      "a_code_of_its_own",
    ].map { .code($0, unknown) }
    + [
      Self("`{}`", "{}", noToken),
      Self("the code as a number", #"{"error": 5}"#, noError),
      Self("the code in an object", #"{"error": {"code": "invalid_grant"}}"#, noError),
      Self("the code in an array", #"{"errors": [{"errorType": "invalid_grant"}]}"#, noError),
      Self("no body", "", noError),
      Self("HTML", "<html><body>invalid_grant</body></html>", noError),
      Self("a form", "error=invalid_grant&error_description=Some+words.", noError),
      Self("text", "invalid_grant", noError),
      Self("JSON that is cut", #"{"error": "invalid_grant""#, noError),
    ]
}

/// An answer of a token endpoint to a refresh.
struct TokenEndpointAnswer: Sendable {
  let status: Int
  let body: TokenEndpointBody
  let contentType: String?

  static let statuses = [
    200, 201, 302, 400, 401, 403, 404, 405, 408, 409, 410, 422, 429, 500, 502, 503, 504,
  ]
  static let contentTypes = [
    "application/json", "text/html", "application/x-www-form-urlencoded", nil,
  ]
}
