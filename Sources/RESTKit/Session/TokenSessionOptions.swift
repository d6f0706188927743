import Streams

/// How a ``TokenSession`` goes about its refreshes; `Docs/Sessions.md` gives the reasons.
public struct TokenSessionOptions: Sendable {
  /// How long before its end a token is renewed.
  ///
  /// A new token that lives shorter than twice this is renewed after half its life.
  public var leeway: Duration
  /// The longest time that one request for a token may take.
  ///
  /// The repetition after a lost answer has the same time once more, and so has the wait for others
  /// who share the store before it.
  public var refreshTimeout: Duration
  /// How long a refresh that failed for now is not tried again.
  public var cooldown: Duration
  /// The longest time to wait where the server of the refresh asks for more with `Retry-After`.
  public var maximumCooldown: Duration
  /// How many new tokens in a row the API may refuse before refreshes pause.
  public var refusalLimit: Int
  /// The time within which they are counted, and for which refreshes pause.
  public var refusalWindow: Duration
  /// Which answers mean that the token was refused.
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
