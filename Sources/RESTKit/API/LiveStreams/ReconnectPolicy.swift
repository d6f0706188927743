import Streams

/// When a live stream is asked for again, and how long it may be silent.
///
/// A stream of events ends and breaks: servers restart, proxies close what is idle, networks change. It is
/// asked for again after ``delay``, or after what the server said with `retry:`. Each connection in a row that
/// brings no event makes the wait longer: on top of the delay comes a random time up to ``delay`` · 2ⁿ, so
/// that clients that lost one server do not come back together, and the sum is at most ``maxDelay``. An event
/// puts that back. A server's `retry:` is kept just so while events come, and not undercut, unless it is
/// longer than ``maxServerDelay``. No wait is shorter than 0.1 s, whatever a server or a policy says, so that an
/// event for each connection makes no loop without a pause.
///
/// ``retry`` says which statuses and faults may pass. Each stream counts what it tries in a budget of its own:
/// a connection that brought an event fills that, and one after the longest wait costs nothing.
///
/// ```swift
/// var policy = ReconnectPolicy(silence: .seconds(45))
/// policy.maxFailures = 20
/// api.serverSentEvents(endpoint: "feed", reconnecting: policy)
/// ```
public struct ReconnectPolicy: Sendable {
  /// The shortest wait, unless the server says another with `retry:`; 3 s.
  public var delay: Duration
  /// The longest wait, unless the server asks for a longer one; 30 s.
  public var maxDelay: Duration
  /// The longest wait between connections that a server may ask for with `retry:`; 5 min.
  ///
  /// A longer one is shortened to it, and the log says so. What `Retry-After` asks for is bounded by
  /// ``RetryPolicy/maxRetryAfter``.
  public var maxServerDelay: Duration = .seconds(300)
  /// How long a stream may say nothing, not even a comment, before it counts as broken; nil for any time.
  ///
  /// It is measured while something is asked for: a subscriber that stops asking makes no stream silent.
  public var silence: Duration?
  /// How long the head of an answer may take, redirects and a refresh included; 60 s, nil for any time.
  ///
  /// It is measured while something is asked for. An answer with another status than 200 may be silent for
  /// as long, too.
  public var answerTimeout: Duration? = .seconds(60)
  /// How many connections in a row may fail or bring no event before the stream ends as the last of them; nil
  /// for any number.
  public var maxFailures: Int?
  /// The most bytes of an id that goes back to the server as `Last-Event-ID`; 4 KiB.
  ///
  /// The event of a longer one is delivered, and the next connection is not made: most servers refuse a head
  /// of 8 KiB, and without the id the stream would lose its place in silence. It fails with ``RESTError`` of kind
  /// ``RESTError/Kind/invalidRequest``.
  public var maxIDBytes = 4_096
  /// Whether a stream that the server ends is asked for again; it is, if its method is one of
  /// ``RetryPolicy/methods``.
  ///
  /// The answer to a `POST` that ends is complete: it finishes the stream.
  public var reconnectsAfterEnd = true
  /// Which statuses and faults may pass; nil for the API's own ``RESTAPI/retry``, or where it has none for a
  /// plain policy without a budget.
  ///
  /// Of it count the methods that may be sent again, the longest `Retry-After`, the clock and the source of
  /// jitter, too. Its attempts, its delays and its times are those of calls: they do not count here.
  ///
  /// Its budget gives its size and its rules to one that each subscription has to itself, so that a stream that
  /// is cut off for minutes takes nothing from the calls. That pays for connections that fail without an
  /// event, while their waits grow: an event fills it, and a wait that has grown to ``maxDelay`` costs
  /// nothing. With the times as they are it is never used up; ``maxFailures`` is what ends a stream.
  ///
  /// On a scheduler that is `.immediate`, for tests, no time passes: there ``silence`` and ``answerTimeout``
  /// are not measured, and each wait that brings no event is paid for.
  public var retry: RetryPolicy?

  /// Makes a policy of what is changed most; the rest are properties.
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

  /// A stream is asked for once: its end finishes it, and what breaks it is its failure.
  public static var never: ReconnectPolicy {
    var policy = ReconnectPolicy(maxFailures: 0)
    policy.reconnectsAfterEnd = false
    return policy
  }
}
