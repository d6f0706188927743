import Fixtures
import Foundation
import RESTKit

/// The servers' knowledge of tokens, and their opinion of the users.
struct WorldServer: Sendable {
  struct Token: Sendable {
    let user: Int
    /// The sign-in that it goes back to.
    let family: Int
    let access: String
    let refresh: String
    /// The time of the request, from which the lifetime counts.
    let asked: Duration
    var isExpired = false
    /// The token that its refresh token was used for.
    var successor: Int?
    /// Whether the app has got it, as far as the network can say.
    var isDelivered = false
    /// Whether the API ever refused it.
    var wasRefused = false
  }

  let isStrict: Bool
  let lifetime: Duration?
  /// How long before its end a session renews a token.
  let leeway: Duration
  private(set) var tokens: [Token] = []
  private var byAccess: [String: Int] = [:]
  private var byRefresh: [String: Int] = [:]
  private var revoked: Set<Int> = []

  init(_ plan: WorldPlan, leeway: Duration) {
    isStrict = plan.isStrict
    lifetime = plan.lifetime
    self.leeway = leeway
  }

  private mutating func issue(user: Int, family: Int?, asked: Duration) -> Int {
    let number = tokens.count
    let token = Token(
      user: user, family: family ?? number, access: "secret-a\(number)",
      refresh: "secret-r\(number)",
      asked: asked)
    tokens.append(token)
    byAccess[token.access] = number
    byRefresh[token.refresh] = number
    return number
  }

  mutating func signIn(user: Int, at now: Duration) -> Credential {
    let number = issue(user: user, family: nil, asked: now)
    tokens[number].isDelivered = true
    let token = tokens[number]
    return Credential(
      accessToken: token.access, refreshToken: token.refresh,
      expiresAt: lifetime.map { WallClock.start + (now + $0) / .seconds(1) },
      account: "user \(user)")
  }

  func number(ofAccess access: String) -> Int? { byAccess[access] }

  func number(ofRefresh refresh: String) -> Int? { byRefresh[refresh] }

  func user(ofAccess access: String) -> Int? { byAccess[access].map { tokens[$0].user } }

  func isGood(_ number: Int, at now: Duration) -> Bool {
    let token = tokens[number]
    return !token.isExpired && !revoked.contains(token.family)
      && lifetime.map { now < token.asked + $0 } ?? true
  }

  /// Whether a session takes a token for one that lasts.
  ///
  /// It counts from when it asked first, also where the response to that was lost.
  func isFresh(_ access: String, at now: Duration) -> Bool {
    guard let number = byAccess[access] else { return false }
    let slack = leeway + .seconds(10)
    return lifetime.map { now < tokens[number].asked + $0 - slack } ?? true
  }

  mutating func accepts(_ access: String?, at now: Duration) -> Bool {
    guard let number = access.flatMap({ byAccess[$0] }) else { return false }
    if isGood(number, at: now) { return true }
    tokens[number].wasRefused = true
    return false
  }

  mutating func noteRefused(_ access: String?) {
    if let number = access.flatMap({ byAccess[$0] }) { tokens[number].wasRefused = true }
  }

  mutating func noteDelivered(_ number: Int) { tokens[number].isDelivered = true }

  mutating func expireAll() {
    for index in tokens.indices { tokens[index].isExpired = true }
  }

  mutating func revoke(user: Int) {
    for token in tokens where token.user == user { revoked.insert(token.family) }
  }

  func isRevoked(family: Int) -> Bool { revoked.contains(family) }

  /// - Parameters:
  ///   - asked: When the request left.
  /// - Returns: The number of the new token; nil where the credential is refused for good. And what
  ///   is wrong with that anybody asked.
  mutating func refresh(
    _ refresh: String, asked: Duration, at now: Duration
  ) -> (number: Int?, complaint: String?) {
    guard let old = byRefresh[refresh], !revoked.contains(tokens[old].family) else {
      return (nil, nil)
    }
    if let successor = tokens[old].successor {
      let complaint =
        tokens[successor].isDelivered
        ? "\(refresh) is used again, though \(tokens[successor].access) was delivered for it" : nil
      if isStrict {
        revoked.insert(tokens[old].family)
        return (nil, complaint)
      }
      return (successor, complaint)
    }
    let token = tokens[old]
    let isDue = lifetime.map { asked >= token.asked + $0 - leeway - .milliseconds(1) } ?? false
    let isNeeded = !isGood(old, at: now) || token.wasRefused || isDue || !token.isDelivered
    let number = issue(user: token.user, family: token.family, asked: asked)
    tokens[old].successor = number
    return (number, isNeeded ? nil : "\(token.access) is renewed, though it is good")
  }
}
