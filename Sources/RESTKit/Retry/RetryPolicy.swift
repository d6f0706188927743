import Foundation
import Streams

/// The rules that decide when a request is sent again, how often, and after which wait.
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let retry = RetryPolicy()
/// }
/// ```
///
/// The defaults suit a user who waits. A request is sent again only if that is safe: its method is
/// one of ``methods``, or it has an `Idempotency-Key`, or the server certainly has not carried it
/// out.
/// The wait before retry number n, counted from zero, is a random time up to ``baseDelay`` · 2ⁿ, at
/// most ``maxDelay`` (full jitter). The time of a `Retry-After` is added to it.
///
/// Throttling that names its time is no outage. An attempt that is answered with 429 and a
/// `Retry-After` above zero counts neither for ``maxAttempts`` nor for the ``budget``. The same
/// holds for a 403, if it is one of ``statusesWithRetryAfter``. ``totalTime``, ``maxRetryAfter``
/// and the call's deadline limit such retries. With ``totalTime`` nil and without a deadline, they
/// last as long as the server throttles. A 503 is an outage, even with a `Retry-After`.
///
/// Keep one policy instead of making one for each call: its calls share its ``budget``.
public struct RetryPolicy: Sendable {
  /// The maximum number of attempts in one call.
  ///
  /// The default is 3.
  ///
  /// The repetition after a refresh is an attempt. Redirects belong to the attempt that was
  /// redirected. An attempt that ends with throttling does not count. With a value below 2 there is
  /// no retry.
  public var maxAttempts: Int
  /// The limit of the first wait, which doubles with each retry.
  ///
  /// The default is 0.5 s.
  public var baseDelay: Duration
  /// The longest wait, without the time of a `Retry-After`.
  ///
  /// The default is 20 s.
  public var maxDelay: Duration
  /// The methods that may always be sent again.
  ///
  /// The defaults are those that RFC 9110 §9.2.2 and the QUERY draft call idempotent.
  public var methods: Set<HTTPMethod>
  /// The methods that may also be sent again after a 429.
  ///
  /// The default is empty.
  ///
  /// Most servers that limit their clients refuse a request before they carry it out, but RFC 6585
  /// does not say so. `[.post]` says it of a server. After another status, or a fault, the methods
  /// are as unsafe as before.
  public var throttledMethods: Set<HTTPMethod>
  /// The transient statuses.
  ///
  /// The default is 408, 425, 429, 500, 502, 503 and 504.
  public var statuses: Set<Int>
  /// The statuses that are transient only with a `Retry-After`.
  ///
  /// The default is 413.
  public var statusesWithRetryAfter: Set<Int>
  /// The transient faults.
  ///
  /// The defaults are faults of the name lookup and the connection, and time-outs.
  public var faults: Set<TransportError.Kind>
  /// The longest accepted `Retry-After`.
  ///
  /// The default is 30 s.
  ///
  /// A response with a longer one is delivered at once: a retry never comes earlier than the server
  /// asked.
  public var maxRetryAfter: Duration
  /// A closure that reads, from a response, the time after which the server wants the next request,
  /// for a server that names it in the body; nil if `Retry-After` is the only place.
  ///
  /// The default is nil.
  ///
  /// ```swift
  /// // 429 {"errcode": "M_LIMIT_EXCEEDED", "retry_after_ms": 2000}
  /// policy.retryAfter = { response in
  ///   response.json?["retry_after_ms"]?.integer.map { .milliseconds($0) }
  /// }
  /// ```
  ///
  /// Its time counts as a `Retry-After`, with all limits of one. If the response has both, the
  /// longer one counts. The closure runs for a whole response with another status than 200...299,
  /// and for the error of one, on the thread that delivers it. It does not run for a response in
  /// pieces that no stage has collected, nor for a status without a body that can be read.
  public var retryAfter: (@Sendable (RESTResponse) -> Duration?)?
  /// The time limit of one attempt, including its redirects and a refresh.
  ///
  /// The default is nil, which leaves the limit to the request's own `timeoutInterval`.
  public var attemptTimeout: Duration?
  /// The time limit of the whole call from its subscription on, including the waits; nil for no
  /// limit.
  ///
  /// The default is 60 s.
  ///
  /// There is no wait for a retry that could not begin in time. An attempt that is running at the
  /// end is cancelled.
  public var totalTime: Duration?
  /// The limit of retries to a failing host, shared by all calls with this policy and its copies;
  /// nil for no limit.
  ///
  /// A retry after throttling takes nothing from it.
  public var budget: RetryBudget?
  /// A closure that makes an `Idempotency-Key` for a request that has none and whose method is not
  /// one of ``methods``, so that the request may be sent again; nil for no key.
  ///
  /// All attempts of a call have the same key, and each call has a new one. The closure runs on the
  /// thread that subscribes. Use it only if the server supports the field: for another server, a
  /// repeated POST is a second one.
  public var idempotencyKey: (@Sendable () -> String)?
  /// A rule of the app's own about the outcome of an attempt: true if another attempt may have
  /// another outcome, false if not, nil to leave it to ``statuses``, ``statusesWithRetryAfter`` and
  /// ``faults``.
  ///
  /// ```swift
  /// RetryPolicy(isTransient: { outcome in
  ///   switch outcome {
  ///   case .success(let response) where response.statusCode == 423: true
  ///   case .failure(let error as RESTError) where error.kind == .malformedResponse: true
  ///   default: nil
  ///   }
  /// })
  /// ```
  ///
  /// It only says what helps. What is safe stays as it is: a POST without an `Idempotency-Key` that
  /// may have reached the server is not sent again, and neither is a body that is spent. The limits
  /// of attempts, times and ``budget`` apply, too.
  ///
  /// It runs after each attempt that ends with a whole response or a failure, on the thread of that
  /// end, and so it must not wait. It does not see live streams and their reconnects, responses
  /// from a cache, and the end of the call's deadline.
  public var isTransient: (@Sendable (Result<RESTResponse, any Error>) -> Bool?)?
  /// The scheduler that measures time and runs the waits.
  ///
  /// Retries are sent on it. Unless it is set, it is that of the test on virtual time in which a
  /// call is subscribed to, also if the policy is older than this test, and `.continuous` outside
  /// of tests.
  public var scheduler: any Scheduler {
    get { ownScheduler ?? time.inUse?.scheduler ?? .continuous }
    set { ownScheduler = newValue }
  }
  /// The source of the jitter.
  ///
  /// Each call begins with a copy. Unless it is set, it is the system's, and in a test on virtual
  /// time the seeded one of the test, as for ``scheduler``.
  public var generator: any RandomNumberGenerator & Sendable {
    get { ownGenerator ?? time.inUse?.generator ?? SystemRandomNumberGenerator() }
    set { ownGenerator = newValue }
  }
  /// The time of day, for a `Retry-After` date in a response without a `Date`.
  ///
  /// Unless it is set, it is the system's, and in a test on virtual time the test's, as for
  /// ``scheduler``.
  public var wallClock: @Sendable () -> Date {
    get { ownWallClock ?? time.inUse?.date ?? StandardTime.systemClock }
    set { ownWallClock = newValue }
  }

  private var ownScheduler: (any Scheduler)?
  private var ownGenerator: (any RandomNumberGenerator & Sendable)?
  private var ownWallClock: (@Sendable () -> Date)?
  /// The time of the test that made the policy, or of the subscription for which it is fixed.
  private(set) var time = KeptTime()

  /// Creates a policy.
  ///
  /// Each parameter is the property of its name. ``generator`` and ``wallClock`` are properties
  /// only. With `scheduler` nil, the policy takes the standard one of each subscription.
  public init(
    maxAttempts: Int = 3, baseDelay: Duration = .milliseconds(500),
    maxDelay: Duration = .seconds(20), methods: Set<HTTPMethod> = RetryPolicy.idempotentMethods,
    throttledMethods: Set<HTTPMethod> = [],
    statuses: Set<Int> = RetryPolicy.transientStatuses, statusesWithRetryAfter: Set<Int> = [413],
    faults: Set<TransportError.Kind> = RetryPolicy.transientFaults,
    maxRetryAfter: Duration = .seconds(30),
    retryAfter: (@Sendable (RESTResponse) -> Duration?)? = nil, attemptTimeout: Duration? = nil,
    totalTime: Duration? = .seconds(60), budget: RetryBudget? = RetryBudget(),
    idempotencyKey: (@Sendable () -> String)? = nil,
    isTransient: (@Sendable (Result<RESTResponse, any Error>) -> Bool?)? = nil,
    scheduler: (any Scheduler)? = nil
  ) {
    self.maxAttempts = maxAttempts
    self.baseDelay = baseDelay
    self.maxDelay = maxDelay
    self.methods = methods
    self.throttledMethods = throttledMethods
    self.statuses = statuses
    self.statusesWithRetryAfter = statusesWithRetryAfter
    self.faults = faults
    self.maxRetryAfter = maxRetryAfter
    self.retryAfter = retryAfter
    self.attemptTimeout = attemptTimeout
    self.totalTime = totalTime
    self.budget = budget
    self.idempotencyKey = idempotencyKey
    self.isTransient = isTransient
    ownScheduler = scheduler
  }

  /// Returns the policy for one subscription: its scheduler, wall clock and source of jitter stay
  /// what they are now.
  ///
  /// - Parameter time: The time of the test to which the subscription belongs; nil for the
  ///   system's.
  func fixed(in time: TestTime?) -> RetryPolicy {
    var policy = self
    policy.time = KeptTime(of: time)
    policy.ownScheduler = ownScheduler ?? time?.scheduler ?? .continuous
    policy.ownGenerator = ownGenerator ?? time?.generator ?? SystemRandomNumberGenerator()
    policy.ownWallClock = ownWallClock ?? time?.date ?? StandardTime.systemClock
    return policy
  }

  /// Returns the scheduler for a time limit, which a test hears of.
  ///
  /// - Parameters:
  ///   - test: The time of the test to which the subscription belongs; nil outside of one.
  ///   - request: A closure that returns the request that has the limit, if it is known.
  func scheduler(
    timedIn test: TestTime?, request: @escaping @Sendable () -> RequestSummary?
  ) -> any Scheduler {
    test?.timing(scheduler, by: "RetryPolicy", call: request) ?? scheduler
  }

  /// The maker of keys for the requests of an attempt, if there is one.
  var keyMaker: IdempotencyKeyMaker? {
    idempotencyKey.map { IdempotencyKeyMaker(make: $0, exceptions: methods) }
  }

  /// The wait before a retry, without the time that the server asks for.
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

  /// Faults of the name lookup and of the connection, requests and bodies that were cut, and
  /// time-outs.
  public static var transientFaults: Set<TransportError.Kind> {
    [
      .hostNotFound, .connectionRefused, .connectFailed, .connectionClosedBeforeResponse,
      .connectionReset, .bodyCut, .sendFailed, .timedOut,
    ]
  }
}
