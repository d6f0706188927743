/// What a call may still do: how often it was sent and why, whether it had its refresh, as whom it goes,
/// and the keys of its requests.
struct CallBudget: Sendable {
  typealias Party = AnyObject & Sendable

  /// A request that is sent.
  struct Sending {
    /// Which attempt it is, from 1.
    let attempt: Int
    let cause: CallCause
    /// How many requests were sent again since one was sent for the first time, it included.
    let resends: Int
  }

  /// Whom a call is sent as, of those that one object stands for.
  private struct Membership: Sendable {
    let group: any Party
    let member: any Party
  }

  /// How many times a request was sent: redirects are not counted.
  private(set) var attempts = 0
  /// How many requests were sent again since one was sent for the first time, redirects included.
  private var resends = 0
  /// Which attempt was sent last, redirects included, and why; nil before the first.
  private(set) var lastSending: (attempt: Int, cause: CallCause)?
  /// Why the next request will be sent, unless a part says that it comes again.
  var nextCause = CallCause.first
  var keys = IdempotencyKeys()
  /// Whether the one refresh that a call has was taken.
  private(set) var hasRefreshed = false
  private var membership: Membership?
  private var furtherMemberships: [Membership] = []

  /// Counts a request that is about to be sent.
  ///
  /// - Parameters:
  ///   - isRedirected: Whether a redirect led to it, which is no attempt of its own.
  ///   - repetition: Why it comes again; nil where no part says that it does.
  mutating func beginExchange(isRedirected: Bool, repetition: CallCause?) -> Sending {
    if !isRedirected { attempts += 1 }
    let sending = (
      attempt: attempts, cause: isRedirected ? .redirect : repetition ?? nextCause
    )
    if !isRedirected { nextCause = .first }
    // A further page, say, is another request.
    resends = sending.cause == .first ? 0 : resends + 1
    lastSending = sending
    return Sending(attempt: attempts, cause: sending.cause, resends: resends)
  }

  /// Takes the one refresh; false if it was taken.
  mutating func takeRefresh() -> Bool {
    defer { hasRefreshed = true }
    return !hasRefreshed
  }

  /// Gives the refresh back.
  mutating func renewRefresh() { hasRefreshed = false }

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
