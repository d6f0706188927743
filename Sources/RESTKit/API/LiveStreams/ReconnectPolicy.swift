import Streams

/// The rules that decide when a live stream reconnects, and how long it may be silent.
///
/// An event stream ends and breaks: servers restart, proxies close idle connections, networks
/// change. The stream reconnects after ``delay``, or after the server's `retry:` time. Each further
/// connection in a row without an event lengthens the wait: a random time up to ``delay`` · 2ⁿ is
/// added to the delay, so that the clients of one server do not return together. The sum is at most
/// ``maxDelay``. An event resets the wait. A server's `retry:` is kept exactly while events arrive,
/// and is never undercut unless it is longer than ``maxServerDelay``. No wait is shorter than 0.1
/// s, so that one event per connection does not cause a loop without a pause.
///
/// ``retry`` decides which statuses and faults are transient. Each stream has a budget of its own:
/// a connection that brought an event fills it, and a connection after the longest wait costs
/// nothing.
///
/// ```swift
/// var policy = ReconnectPolicy(silence: .seconds(45))
/// policy.maxFailures = 20
/// api.serverSentEvents(endpoint: "feed", reconnecting: policy)
/// ```
public struct ReconnectPolicy: Sendable {
  /// The shortest wait, unless the server sends another one with `retry:`.
  ///
  /// The default is 3 s.
  public var delay: Duration
  /// The longest wait, unless the server asks for a longer one.
  ///
  /// The default is 30 s.
  public var maxDelay: Duration
  /// The longest wait between connections that a server may ask for with `retry:`.
  ///
  /// The default is 5 min.
  ///
  /// A longer one is shortened to this value, and the log says so. ``maxRetryAfter`` limits a
  /// `Retry-After`.
  public var maxServerDelay: Duration = .seconds(300)
  /// The longest accepted `Retry-After`.
  ///
  /// The default is an hour. ``RetryPolicy/maxRetryAfter`` is for calls, whose user waits.
  ///
  /// The stream waits for this time in addition to its own wait, and the log says so. A longer one
  /// ends the stream, because a connection never comes earlier than the server asked.
  public var maxRetryAfter: Duration = .seconds(3_600)
  /// How long a stream may send nothing, not even a comment, before it counts as broken; nil for no
  /// limit.
  ///
  /// The time is measured only while there is demand: a subscriber that adds no demand does not
  /// make the stream silent.
  public var silence: Duration?
  /// How long the head of a response may take, including redirects and a refresh; nil for no limit.
  ///
  /// The default is 60 s.
  ///
  /// The time is measured only while there is demand. A response with a status other than 200,
  /// or of another type, may also be silent for this long. It then counts with what came of it.
  public var responseTimeout: Duration? = .seconds(60)
  /// How many connections in a row may fail or bring no event.
  ///
  /// The stream then ends as the last of them did. Nil means no limit.
  public var maxFailures: Int?
  /// The maximum size, in bytes, of an id that is sent to the server as `Last-Event-ID`.
  ///
  /// The default is 4 KiB.
  ///
  /// The event of a longer id is delivered, but the next connection is not made: most servers
  /// refuse a head of 8 KiB, and without the id the stream would silently lose its place. The
  /// stream then fails with ``RESTError`` of kind ``RESTError/Kind/invalidRequest``.
  public var maxIDBytes = 4_096
  /// Whether a stream that the server ends reconnects, if its method is one of
  /// ``RetryPolicy/methods``.
  ///
  /// The default is true.
  ///
  /// The response to a `POST` that ends is complete and finishes the stream.
  public var reconnectsAfterEnd = true
  /// The policy that decides which statuses and faults are transient.
  ///
  /// Nil means the API's own ``RESTAPI/retry``, or a default policy without a budget if the API has
  /// none.
  ///
  /// The stream also uses the policy's methods, clock and source of jitter. The policy's attempts,
  /// delays and times, and its longest `Retry-After`, apply to calls only and have no effect here.
  ///
  /// The policy's budget is the pattern for a separate budget of each subscription, so that a
  /// stream without a network for minutes takes nothing from the calls. A connection that fails
  /// without an event takes from this budget while the waits grow. An event fills it, and a wait of
  /// ``maxDelay`` costs nothing. With the default times the budget is never used up;
  /// ``maxFailures`` limits a stream.
  ///
  /// On an `.immediate` scheduler, for tests, no time passes: ``silence`` and ``responseTimeout``
  /// are not measured, and each wait without an event takes from the budget.
  public var retry: RetryPolicy?
  /// The time of the test that made the policy.
  let time = KeptTime()

  /// Creates a policy with the most common settings.
  ///
  /// The others are properties.
  public init(
    delay: Duration = .seconds(3), maxDelay: Duration = .seconds(30), silence: Duration? = nil,
    maxFailures: Int? = nil, retry: RetryPolicy? = nil
  ) {
    self.delay = delay
    self.maxDelay = maxDelay
    self.silence = silence
    self.maxFailures = maxFailures
    self.retry = retry
  }

  /// A policy that never reconnects: the end of the response finishes the stream, and a break fails
  /// it.
  public static var never: ReconnectPolicy {
    var policy = ReconnectPolicy(maxFailures: 0)
    policy.reconnectsAfterEnd = false
    return policy
  }
}
