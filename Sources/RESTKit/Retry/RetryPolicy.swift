import Foundation
import Streams

/// When a request is sent again, how often, and after which wait.
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let retry = RetryPolicy()
/// }
/// ```
///
/// The defaults suit a caller who waits. A request is only sent again where that is safe: its method
/// is one of ``methods``, or it has an `Idempotency-Key`, or it provably never reached the server.
/// The wait before retry number n, counted from zero, is a random time up to ``baseDelay`` · 2ⁿ, at
/// most ``maxDelay`` (full jitter), on top of what the server asks for with `Retry-After`.
///
/// Keep a policy, and make no new one for each call: its ``budget`` is what its calls share.
public struct RetryPolicy: Sendable {
  /// How often the request may go out in one call; 3.
  ///
  /// The repetition after a refresh is one; the hops of a redirect belong to the attempt that was
  /// redirected. Less than 2 is no retry.
  public var maxAttempts: Int
  /// The limit of the first wait, which doubles with each retry; 0.5 s.
  public var baseDelay: Duration
  /// The longest wait, apart from what the server asks for; 20 s.
  public var maxDelay: Duration
  /// Methods that may be sent again whatever became of the request: those that RFC 9110 §9.2.2 and
  /// the QUERY draft call idempotent.
  public var methods: Set<HTTPMethod> = RetryPolicy.idempotentMethods
  /// Statuses that mean "not now": 408, 425, 429, 500, 502, 503 and 504.
  public var statuses: Set<Int>
  /// Statuses that mean it only together with a `Retry-After`: 413.
  public var statusesWithRetryAfter: Set<Int> = [413]
  /// Faults that may be gone the next time: of the name lookup, the connection and the time.
  public var faults: Set<TransportError.Kind>
  /// The longest `Retry-After` that is waited for; 30 s.
  ///
  /// With a longer one the response is delivered at once: a retry never comes earlier than the server
  /// asked.
  public var maxRetryAfter: Duration = .seconds(30)
  /// How long one attempt may take, its redirects and a refresh in it included; nil, so that the
  /// request's own `timeoutInterval` is the limit.
  public var attemptTimeout: Duration?
  /// How long the call may take in all, waits included, from the subscription on; 60 s, nil for ever.
  ///
  /// A retry that could not begin in time is not waited for, and an attempt that runs at the end is
  /// cancelled.
  public var totalTime: Duration?
  /// What all calls with this policy, and copies of it, may spend on a host that fails; nil for no
  /// bound.
  public var budget: RetryBudget?
  /// Makes an `Idempotency-Key` for a request whose method is none of ``methods`` and that has none,
  /// so that it may be sent again; nil for none.
  ///
  /// There is one key for all attempts of a call, and a new one for each call. The closure runs on
  /// the thread that subscribes. Use it where the server knows the field: elsewhere a repeated POST
  /// is a second one.
  public var idempotencyKey: (@Sendable () -> String)?
  /// What measures the time and waits; retries are sent on it.
  public var scheduler: any Scheduler
  /// Where the jitter comes from; each call begins with a copy.
  public var generator: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
  /// The time of day, which a `Retry-After` date is compared with where the response has no `Date`.
  public var wallClock: @Sendable () -> Date = { Date() }

  /// Makes a policy of what is changed most; the rest are properties.
  public init(
    maxAttempts: Int = 3, baseDelay: Duration = .milliseconds(500),
    maxDelay: Duration = .seconds(20), statuses: Set<Int> = RetryPolicy.transientStatuses,
    faults: Set<TransportError.Kind> = RetryPolicy.transientFaults,
    totalTime: Duration? = .seconds(60), budget: RetryBudget? = RetryBudget(),
    idempotencyKey: (@Sendable () -> String)? = nil, scheduler: any Scheduler = .continuous
  ) {
    self.maxAttempts = maxAttempts
    self.baseDelay = baseDelay
    self.maxDelay = maxDelay
    self.statuses = statuses
    self.faults = faults
    self.totalTime = totalTime
    self.budget = budget
    self.idempotencyKey = idempotencyKey
    self.scheduler = scheduler
  }

  /// What makes keys for the requests of an attempt, if anything does.
  var keyMaker: IdempotencyKeyMaker? {
    idempotencyKey.map { IdempotencyKeyMaker(make: $0, exceptions: methods) }
  }

  /// The wait before a retry, apart from what the server asks for.
  var backoff: Publishers.Backoff {
    Publishers.Backoff(baseDelay: baseDelay, maxDelay: maxDelay)
  }
}

extension RetryPolicy {
  /// GET, HEAD, OPTIONS, PUT, DELETE, TRACE and QUERY.
  public static var idempotentMethods: Set<HTTPMethod> {
    [.get, .head, .options, .put, .delete, HTTPMethod("TRACE"), HTTPMethod("QUERY")]
  }

  /// 408, 425, 429, 500, 502, 503 and 504.
  public static var transientStatuses: Set<Int> { [408, 425, 429, 500, 502, 503, 504] }

  /// A name that was not found, a connection that was not made, broke or was closed, a request or a
  /// body that was cut, and time that was over.
  public static var transientFaults: Set<TransportError.Kind> {
    [
      .hostNotFound, .connectionRefused, .connectFailed, .connectionClosedBeforeResponse,
      .connectionReset, .bodyCut, .sendFailed, .timedOut,
    ]
  }
}
