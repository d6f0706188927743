import Streams

/// A token bucket with a line of waiting requests: it decides who may pass.
///
/// It receives the time as an argument.
struct RateLimitMachine: Sendable {
  /// The result for a new request.
  enum Arrival: Equatable, Sendable {
    /// The request passes, with this number.
    case pass(Int)
    /// The request waits at a place in the line, for about this time.
    case wait(place: Int, Duration)
    /// The line is full.
    case lineIsFull
    /// The turn of the request would come after this time.
    case tooLate(Duration)
  }

  /// The part of the line in which a request waits: all of one part leave before those of the next.
  enum Rank: Int, CaseIterable, Sendable {
    /// It repeats a request whose token the server refused.
    case repeated
    /// It gave its turn back, since its token had expired in the line.
    ///
    /// With a token, all requests in the line become late. So a repetition needs a rank of its own.
    case late
    case new
  }

  /// A request that leaves the line to pass.
  struct Passing: Equatable, Sendable {
    let place: Int
    let number: Int
  }

  /// The time in which the bucket gains one token.
  private let interval: Duration
  /// The time in which an empty bucket fills, except for one token.
  private let slack: Duration
  /// The duration of a server's limit that has none itself.
  let period: Duration
  private let maxWaiting: Int

  /// The time at which the bucket is full again.
  private var full = Duration.zero
  /// The time until which a server accepts no request.
  private var closedUntil = Duration.zero
  /// The number of requests that a server accepts until a time; negative if more are already on
  /// their way.
  private var quota: (left: Int, until: Duration)?
  /// Whether a wait that a server demanded is over, so that the next pass is a probe.
  private var wantsProbe = false
  /// The pass whose response the line waits for, and the time at which this wait ends.
  private var probe: (number: Int, until: Duration)?
  /// The number of requests that have passed.
  private var passes = 0
  /// The pass whose response had the quota.
  private var lastTelling = 0
  /// The places of each rank, in order, including some that were given up.
  private var lines = Rank.allCases.map { _ in [Int]() }
  /// The places with a waiting request, and their ranks.
  private var waiting: [Int: Rank] = [:]
  /// The number of waiting requests of each rank.
  private var counts = Rank.allCases.map { _ in 0 }
  private var nextPlace = 1

  /// The longest time for which a response closes the line.
  ///
  /// So a request reaches the server every hour.
  static let longestClosing = Duration.seconds(3_600)
  /// The longest wait for the response to a probe.
  static let longestProbe = Duration.seconds(60)

  init(requests: Int, period: Duration, burst: Int, maxWaiting: Int) {
    let requests = min(max(requests, 1), 1_000_000)
    let burst = min(max(burst, 1), 1_000_000)
    self.period = min(max(period, .nanoseconds(1)), .seconds(RetryAfter.longest))
    interval = self.period / requests
    slack = interval * (burst - 1)
    self.maxWaiting = min(max(maxWaiting, 0), 1_000_000)
  }

  var isEmpty: Bool { waiting.isEmpty }

  /// The time at which the first request in the line may pass; nil if the line is empty.
  var nextPass: Duration? {
    isEmpty ? nil : max(opening(behind: 0), probe?.until ?? .zero)
  }

  /// Whether the line waits for the response to a pass.
  func isProbe(_ number: Int) -> Bool { probe?.number == number }

  /// - Parameters:
  ///   - patience: The longest wait.
  ///   - rank: The request's part of the line. Only a new one is refused because the line is full.
  mutating func arrive(
    at now: Duration, patience: Duration, rank: Rank = .new
  ) -> Arrival {
    settle(at: now)
    let others = counts[...rank.rawValue].reduce(0, +)
    let opening = opening(behind: others)
    if others == 0, probe == nil, opening <= now { return .pass(pass(at: now)) }
    guard rank != .new || waiting.count < maxWaiting else { return .lineIsFull }
    // The duration of a probe is unknown, and so does not count.
    let wait = max(opening - now, .zero)
    guard wait <= patience else { return .tooLate(wait) }
    defer { nextPlace += 1 }
    waiting[nextPlace] = rank
    counts[rank.rawValue] += 1
    lines[rank.rawValue].append(nextPlace)
    return .wait(place: nextPlace, wait)
  }

  /// Gives up a place.
  ///
  /// Later requests move up.
  mutating func leave(_ place: Int) {
    guard remove(place) else { return }
    // Not on each call: if many leave at once, each call would look at all others.
    guard lines.reduce(0, { $0 + $1.count }) > 2 * waiting.count else { return }
    for rank in lines.indices {
      lines[rank].removeAll { [waiting] place in waiting[place] == nil }
    }
  }

  /// - Returns: Whether a request was waiting at the place.
  private mutating func remove(_ place: Int) -> Bool {
    guard let rank = waiting.removeValue(forKey: place) else { return false }
    counts[rank.rawValue] -= 1
    return true
  }

  /// Lets the requests pass whose turn has come, in the order of their arrival.
  mutating func wake(at now: Duration) -> [Passing] {
    settle(at: now)
    var passing: [Passing] = []
    for rank in lines.indices {
      lines[rank].removeFirst(pass(from: lines[rank], at: now, &passing))
    }
    return passing
  }

  /// - Returns: The number of places that are done with.
  private mutating func pass(
    from places: [Int], at now: Duration, _ passing: inout [Passing]
  ) -> Int {
    var count = 0
    while count < places.count, probe == nil, opening(behind: 0) <= now {
      let place = places[count]
      count += 1
      guard remove(place) else { continue }
      passing.append(Passing(place: place, number: pass(at: now)))
    }
    return count
  }

  /// Records the server's limit in the response to a pass.
  ///
  /// A response to an earlier pass is outdated.
  mutating func note(_ told: RateLimitQuota, answering number: Int, at now: Duration) {
    guard number > lastTelling else { return }
    lastTelling = number
    // The quota does not include the requests that passed later.
    let left = told.remaining - (passes - number)
    let until = now.adding(told.reset.map { min($0, Self.longestClosing) } ?? period)
    quota = until > now ? (left, until) : nil
  }

  /// Records the response to a pass.
  ///
  /// After the response to a probe, the line may go on.
  mutating func noteResponse(to number: Int) {
    if isProbe(number) { probe = nil }
  }

  /// Records that a pass gets no response.
  ///
  /// After a probe, the next pass is the probe.
  mutating func noteLoss(of number: Int) {
    guard isProbe(number) else { return }
    probe = nil
    wantsProbe = true
  }

  /// Takes back a pass whose request was not sent.
  mutating func takeBack(_ number: Int) {
    full -= interval
    if number > lastTelling { quota?.left += 1 }
    noteLoss(of: number)
  }

  /// Records for how long a server accepts no request.
  mutating func close(for wait: Duration, at now: Duration) {
    closedUntil = max(closedUntil, now.adding(min(wait, Self.longestClosing)))
  }

  /// Discards what has expired.
  private mutating func settle(at now: Duration) {
    full = max(full, now)
    if let probe, probe.until <= now {
      self.probe = nil
      wantsProbe = true
    }
    if let known = quota, known.until <= now {
      quota = nil
      if known.left <= 0 { wantsProbe = true }
    }
    if closedUntil > .zero, closedUntil <= now {
      closedUntil = .zero
      wantsProbe = true
    }
  }

  /// Returns the time at which a request may pass, given the number of requests before it.
  private func opening(behind others: Int) -> Duration {
    let opening = max(full + interval * others - slack, closedUntil)
    guard let quota, quota.left <= others else { return opening }
    return max(opening, quota.until)
  }

  private mutating func pass(at now: Duration) -> Int {
    full += interval
    quota?.left -= 1
    passes += 1
    if wantsProbe {
      wantsProbe = false
      probe = (passes, now.adding(Self.longestProbe))
    }
    return passes
  }
}
