/// The limits of a call: the number and causes of its attempts, its refresh, its memberships, and the
/// keys of its requests.
struct CallBudget: Sendable {
  typealias Party = AnyObject & Sendable

  /// A request that is sent.
  struct Sending {
    /// The number of the attempt, from 1.
    let attempt: Int
    let cause: CallCause
    /// The number of requests sent again since the last one that was sent for the first time, including
    /// this one.
    let resends: Int
  }

  /// The member of a group that a call is sent as.
  ///
  /// One object stands for the group.
  private struct Membership: Sendable {
    let group: any Party
    let member: any Party
  }

  /// The number of attempts.
  ///
  /// Redirects do not count.
  private(set) var attempts = 0
  /// The number of requests sent again since the last one that was sent for the first time, including
  /// redirects.
  private var resends = 0
  /// The attempt and cause of the last request, including redirects; nil before the first.
  private(set) var lastSending: (attempt: Int, cause: CallCause)?
  /// The cause of the next request, unless a part repeats the request.
  var nextCause = CallCause.first
  var keys = IdempotencyKeys()
  /// Whether the call has used its one refresh.
  private(set) var hasRefreshed = false
  private var membership: Membership?
  private var furtherMemberships: [Membership] = []

  /// Counts a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - isRedirected: Whether the request follows a redirect, and so is not an attempt of its own.
  ///   - repetition: The cause of the repetition, or nil if no part repeats the request.
  mutating func beginExchange(isRedirected: Bool, repetition: CallCause?) -> Sending {
    if !isRedirected { attempts += 1 }
    let sending = (
      attempt: attempts, cause: isRedirected ? .redirect : repetition ?? nextCause
    )
    if !isRedirected { nextCause = .first }
    // A further page, for example, is another request.
    resends = sending.cause == .first ? 0 : resends + 1
    lastSending = sending
    return Sending(attempt: attempts, cause: sending.cause, resends: resends)
  }

  /// Takes the one refresh.
  ///
  /// Returns false if it was already taken.
  mutating func takeRefresh() -> Bool {
    defer { hasRefreshed = true }
    return !hasRefreshed
  }

  /// Gives the refresh back.
  mutating func renewRefresh() { hasRefreshed = false }

  /// Whether a call may be sent as a member of a group.
  ///
  /// It may not if it was sent as another member.
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
