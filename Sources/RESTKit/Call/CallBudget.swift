/// What a call may still do: how often it was sent and why, whether it had its refresh, as whom it goes,
/// and the keys of its requests.
struct CallBudget: Sendable {
  typealias Party = AnyObject & Sendable

  /// Whom a call is sent as, of those that one object stands for.
  private struct Membership: Sendable {
    let group: any Party
    let member: any Party
  }

  /// How many times a request was sent: redirects are not counted.
  private(set) var attempts = 0
  /// What was sent last.
  private(set) var last: SentRequest?
  /// Which attempt that belongs to, and why it was sent.
  private(set) var lastSending: (attempt: Int, cause: CallCause)?
  /// Why the next request will be sent.
  var nextCause = CallCause.first
  var keys = IdempotencyKeys()
  /// Whether the one refresh that a call has was taken.
  private(set) var hasRefreshed = false
  private var membership: Membership?
  private var furtherMemberships: [Membership] = []

  /// Counts a request that is about to be sent.
  ///
  /// - Parameter isRedirected: Whether a redirect led to it, which is no attempt of its own.
  /// - Returns: Which attempt this is, from 1, why it is sent, and what is to be released without a
  ///   lock.
  mutating func send(
    _ request: SentRequest, isRedirected: Bool
  ) -> (attempt: Int, cause: CallCause, released: SentRequest?) {
    defer { last = request }
    if !isRedirected { attempts += 1 }
    let cause = isRedirected ? .redirect : nextCause
    lastSending = (attempts, cause)
    return (attempts, cause, last)
  }

  /// Takes the one refresh; false if it was taken.
  mutating func takeRefresh() -> Bool {
    defer { hasRefreshed = true }
    return !hasRefreshed
  }

  /// Whether a call may be sent as a member of a group: it has not been sent as another one of it.
  mutating func admits(_ member: any Party, of group: any Party) -> Bool {
    guard let first = membership else {
      membership = Membership(group: group, member: member)
      return true
    }
    if first.group === group { return first.member === member }
    if let known = furtherMemberships.first(where: { $0.group === group }) {
      return known.member === member
    }
    furtherMemberships.append(Membership(group: group, member: member))
    return true
  }
}
