import Streams

/// The times and limits of the refreshes of a ``TokenSession``.
///
/// `Docs/Sessions.md` gives the reasons.
public struct TokenSessionOptions: Sendable {
  /// The time before its expiry at which a token is renewed.
  ///
  /// A new token with a lifetime shorter than twice the leeway is renewed after half its lifetime.
  public var leeway: Duration
  /// The longest time that one token request may take.
  ///
  /// The repetition after a lost response has the same time again. So does the preceding wait for other users
  /// of the store.
  public var refreshTimeout: Duration
  /// The time during which a refresh that failed temporarily is not repeated.
  public var cooldown: Duration
  /// The longest wait that the session accepts from a `Retry-After` of the token endpoint.
  public var maximumCooldown: Duration
  /// The number of new tokens in a row that the API may refuse before refreshes pause.
  public var refusalLimit: Int
  /// The time within which refused tokens are counted, and for which refreshes then pause.
  public var refusalWindow: Duration
  /// The rule for responses that refuse the token.
  public var refusals: RefusalRule

  public init(
    leeway: Duration = .seconds(30), refreshTimeout: Duration = .seconds(30),
    cooldown: Duration = .seconds(2), maximumCooldown: Duration = .seconds(300),
    refusalLimit: Int = 5, refusalWindow: Duration = .seconds(60),
    refusals: RefusalRule = .unauthorized
  ) {
    self.leeway = leeway
    self.refreshTimeout = refreshTimeout
    self.cooldown = cooldown
    self.maximumCooldown = maximumCooldown
    self.refusalLimit = refusalLimit
    self.refusalWindow = refusalWindow
    self.refusals = refusals
  }
}
