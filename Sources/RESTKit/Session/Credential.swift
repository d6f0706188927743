import Foundation
import Streams
import Synchronization

/// The tokens that identify the caller to a server.
///
/// Its descriptions never show the tokens.
public struct Credential: Sendable, Hashable, Codable {
  /// The token that each request carries (RFC 6750).
  public var accessToken: String
  /// The token that brings a new access token (RFC 6749 §1.5), or nil if there is none.
  public var refreshToken: String?
  /// The time of the request that brought the access token, by this machine's clock, or nil if it
  /// is unknown.
  public var issuedAt: Date?
  /// The expiry of the access token by this machine's clock, or nil if it is unknown.
  public var expiresAt: Date?
  /// The scope of the access token, as the server writes it (RFC 6749 §3.3).
  public var scope: String?
  /// The owner of the credential, if the app states it.
  ///
  /// A refresh keeps the account. Processes that share a store can thus tell another user's
  /// credential from a newer one of the same user.
  public var account: String?
  /// What else belongs to the credential, such as the id of a device, by name.
  ///
  /// A store keeps the extras, and a refresh replaces those that its response has. The grants take
  /// them from a token endpoint's response if they are given the names.
  public var extras: [String: JSONValue]

  public init(
    accessToken: String, refreshToken: String? = nil, issuedAt: Date? = nil,
    expiresAt: Date? = nil, scope: String? = nil, account: String? = nil,
    extras: [String: JSONValue] = [:]
  ) {
    self.accessToken = accessToken
    self.refreshToken = refreshToken
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
    self.scope = scope
    self.account = account
    self.extras = extras
  }
}

extension Credential {
  private enum CodingKeys: String, CodingKey {
    case accessToken, refreshToken, issuedAt, expiresAt, scope, account, extras
  }

  /// Reads a credential, also one that was written when there were no ``extras``.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: CodingKeys.self)
    accessToken = try members.decode(String.self, forKey: .accessToken)
    refreshToken = try members.decodeIfPresent(String.self, forKey: .refreshToken)
    issuedAt = try members.decodeIfPresent(Date.self, forKey: .issuedAt)
    expiresAt = try members.decodeIfPresent(Date.self, forKey: .expiresAt)
    scope = try members.decodeIfPresent(String.self, forKey: .scope)
    account = try members.decodeIfPresent(String.self, forKey: .account)
    extras = try members.decodeIfPresent([String: JSONValue].self, forKey: .extras) ?? [:]
  }

  /// Writes the credential, without ``extras`` if there are none, so that an older version of an
  /// app reads it.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: CodingKeys.self)
    try members.encode(accessToken, forKey: .accessToken)
    try members.encodeIfPresent(refreshToken, forKey: .refreshToken)
    try members.encodeIfPresent(issuedAt, forKey: .issuedAt)
    try members.encodeIfPresent(expiresAt, forKey: .expiresAt)
    try members.encodeIfPresent(scope, forKey: .scope)
    try members.encodeIfPresent(account, forKey: .account)
    if !extras.isEmpty { try members.encode(extras, forKey: .extras) }
  }
}

extension Credential {
  /// Checks that a request can carry the tokens.
  func checkTokens() throws(SignInError) {
    let tokens = TokenResponse(accessToken: accessToken, refreshToken: refreshToken)
    if let name = tokens.unusableToken { throw .unusableToken(name: name) }
  }
}

extension Credential: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String {
    "Credential(accessToken: \(accessToken.isEmpty ? "empty" : "hidden"), "
      + "refreshToken: \(refreshToken == nil ? "none" : "hidden"))"
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A credential that a session hands out.
///
/// All calls that carry it share one object.
final class IssuedCredential: Sendable {
  /// The source of a credential.
  enum Source: Sendable {
    /// The app signed in with it or replaced an older one with it, or it was read from the store.
    case given
    /// A sign-in with a grant brought it just now.
    case signIn
    /// A refresh of this session brought it. The number counts the session's refreshes from 1.
    case refresh(Int)
    /// A refresh of another session that shares the store brought it just now.
    case elsewhere

    /// Whether a refresh brought it, in this session or in another one.
    var isRefresh: Bool {
      switch self {
      case .given, .signIn: false
      case .refresh, .elsewhere: true
      }
    }

    /// Whether a server issued it just now.
    var isNew: Bool {
      if case .given = self { false } else { true }
    }
  }

  let credential: Credential
  /// The value of `Authorization` (RFC 6750 §2.1).
  let authorization: String
  /// The header fields for a request, made once: most requests have no others.
  let headerFields: [String: String]
  /// The sign-in that it belongs to.
  let identity: TokenSession.Identity
  /// The span in which it may be sent.
  let span: SignInSpan
  /// The number of the credential in its session, counted from 1.
  let number: Int
  let source: Source
  /// The times of its renewal and its expiry, or nil if the expiry is unknown.
  private let renewal: SessionInstant?
  private let end: SessionInstant?
  /// The rule for responses that refuse it.
  let refusals: RefusalRule
  private let isSent = Atomic<Bool>(false)
  private let isProven = Atomic<Bool>(false)

  var epoch: Int { identity.epoch }

  /// The number of the refresh that brought it, or nil if it came otherwise.
  var refreshNumber: Int? {
    if case .refresh(let number) = source { number } else { nil }
  }

  /// Whether a refresh brought it, in this session or in another one.
  var isRenewed: Bool { source.isRefresh }

  init(
    _ credential: Credential, of identity: TokenSession.Identity, during span: SignInSpan,
    number: Int, source: Source, at now: SessionInstant, options: TokenSessionOptions
  ) {
    self.credential = credential
    authorization = String(bearer: credential.accessToken)
    headerFields = ["Authorization": authorization]
    self.identity = identity
    self.span = span
    self.number = number
    self.source = source
    refusals = options.refusals
    let left = credential.expiresAt.map { $0.timeIntervalSince(now.date) }
    if let left, !left.isNaN, !source.isRefresh || left > 0 {
      let left = Duration(secondsWithinLimits: left)
      end = now.advanced(by: left)
      renewal = now.advanced(
        by: left - options.margin(of: credential, left: left, isNew: source.isNew))
    } else {
      // A refreshed token is used until it is refused, even if it claims to be expired.
      end = nil
      renewal = nil
    }
  }

  func isDue(at now: SessionInstant) -> Bool { renewal?.isOver(at: now) ?? false }

  func isExpired(at now: SessionInstant) -> Bool { end?.isOver(at: now) ?? false }

  /// Whether a request has ever left with it.
  var wasSent: Bool { isSent.load(ordering: .relaxed) }

  func noteSent() {
    if !isSent.load(ordering: .relaxed) { isSent.store(true, ordering: .relaxed) }
  }

  /// Whether the API has ever accepted it.
  var wasAccepted: Bool { isProven.load(ordering: .relaxed) }

  func noteAccepted() {
    if !isProven.load(ordering: .relaxed) { isProven.store(true, ordering: .relaxed) }
  }
}

extension TokenSessionOptions {
  /// The time before its expiry at which a credential is renewed.
  ///
  /// - Parameters:
  ///   - left: The time until the expiry.
  ///   - isNew: Whether a server issued the credential just now.
  fileprivate func margin(of credential: Credential, left: Duration, isNew: Bool) -> Duration {
    let life = isNew ? left : credential.lifetime
    // Without this limit, sessions that share the store would in turn renew a token forever that
    // lives shorter than the leeway, and one would renew a sign-in's token before its first use.
    let least = life.map { Swift.min(leeway, $0 / 2) } ?? leeway
    guard let renewalPoint, (0...1).contains(renewalPoint),
      let life = credential.lifetime ?? life
    else { return least }
    let margin = Swift.max(least, life * (1 - renewalPoint))
    // A token whose request took most of its life is used once nevertheless.
    return isNew ? Swift.min(margin, left * 0.9) : margin
  }
}

extension Credential {
  /// The time from its issue to its expiry; nil if it is unknown or makes no sense.
  fileprivate var lifetime: Duration? {
    guard let issuedAt, let expiresAt, expiresAt > issuedAt else { return nil }
    return Duration(secondsWithinLimits: expiresAt.timeIntervalSince(issuedAt))
  }
}

extension Duration {
  /// A time from zero to the longest lifetime that counts.
  fileprivate init(secondsWithinLimits seconds: Double) {
    self = .seconds(Swift.min(Swift.max(seconds, 0), TokenLifetime.longest))
  }
}
