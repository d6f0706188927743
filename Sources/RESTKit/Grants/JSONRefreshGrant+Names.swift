extension JSONRefreshGrant {
  /// The names of the members of a refresh's request and response.
  ///
  /// ```swift
  /// // {"refresh": "…"} is answered with {"data": {"token": "…", "refresh": "…", "ttl": 3600}}
  /// let names = JSONRefreshGrant.Names(
  ///   sentRefreshToken: "refresh", accessToken: "token", refreshToken: "refresh", lifetime: "ttl",
  ///   envelope: "data")
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
    /// The member of the response that holds the lifetime in seconds.
    ///
    /// It may be absent.
    public var lifetime: String
    /// The member of the response whose object contains the others.
    ///
    /// It may be absent: then the response itself contains them.
    public var envelope: String

    /// Creates the names.
    ///
    /// The response may always have the names of ``TokenResponse`` instead.
    public init(
      sentRefreshToken: String = "refreshToken", accessToken: String = "accessToken",
      refreshToken: String = "refreshToken", lifetime: String = "expiresIn",
      envelope: String = "result"
    ) {
      self.sentRefreshToken = sentRefreshToken
      self.accessToken = accessToken
      self.refreshToken = refreshToken
      self.lifetime = lifetime
      self.envelope = envelope
    }
  }
}
