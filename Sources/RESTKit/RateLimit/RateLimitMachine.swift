import Streams

/// Who may pass now, and who waits: a token bucket and a line before it, in the time that it is told.
struct RateLimitMachine: Sendable {
  /// What becomes of a request that comes.
  enum Arrival: Equatable, Sendable {
    /// It passes, as the so-manyth.
    case pass(Int)
    /// It waits at a place of the line, for about so long.
    case wait(place: Int, Duration)
    /// The line is full.
    case lineIsFull
    /// Its turn would come so late.
    case tooLate(Duration)
  }

  /// Who leaves the line to pass.
  struct Passing: Equatable, Sendable {
    let place: Int
    let number: Int
  }

  /// The time in which one token comes.
  private let interval: Duration
  /// The time in which an empty bucket fills, but for one token.
  private let slack: Duration
  /// How long a server's limit counts where it does not say.
  let period: Duration
  private let maxWaiting: Int

  /// When the bucket is full again.
  private var full = Duration.zero
  /// Until when a server wants no request.
  private var closedUntil = Duration.zero
  /// How many requests a server takes until a time; fewer than none where more are on their way.
  private var quota: (left: Int, until: Duration)?
  /// Whether a wait that came from a server is over, so that the next pass asks before the rest goes.
  private var wantsProbe = false
  /// The pass that asks, and until when the others wait for its answer.
  private var probe: (number: Int, until: Duration)?
  /// How many have passed.
  private var passes = 0
  /// The pass whose answer told of the quota.
  private var lastTelling = 0
  /// The places in their order, with some that were given up.
  private var line: [Int] = []
  /// The places at which somebody waits.
  private var waiting: Set<Int> = []
  private var nextPlace = 1

  /// The longest that a reset closes the line: whatever a server says, it is asked once an hour.
  static let longestReset = Duration.seconds(3_600)
  /// The longest that the line waits for the answer to a probe.
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

  /// When the first of the line may pass; nil where nobody waits.
  var nextPass: Duration? {
    isEmpty ? nil : max(opening(behind: 0), probe?.until ?? .zero)
  }

  /// Whether the line waits for the answer to a pass.
  func isProbe(_ number: Int) -> Bool { probe?.number == number }

  /// - Parameter patience: The longest wait.
  mutating func arrive(at now: Duration, patience: Duration) -> Arrival {
    settle(at: now)
    let opening = opening(behind: waiting.count)
    if isEmpty, probe == nil, opening <= now { return .pass(pass(at: now)) }
    guard waiting.count < maxWaiting else { return .lineIsFull }
    // How long the answer to a probe takes is not known.
    let wait = max(opening - now, .zero)
    guard wait <= patience else { return .tooLate(wait) }
    defer { nextPlace += 1 }
    line.append(nextPlace)
    waiting.insert(nextPlace)
    return .wait(place: nextPlace, wait)
  }

  /// Gives a place up; those behind it move up.
  mutating func leave(_ place: Int) {
    guard waiting.remove(place) != nil else { return }
    // Not each time: of many that leave at once, each would look at all others.
    guard line.count > 2 * waiting.count else { return }
    line.removeAll { [waiting] place in !waiting.contains(place) }
  }

  /// Lets those pass who may, in the order in which they came.
  mutating func wake(at now: Duration) -> [Passing] {
    settle(at: now)
    var count = 0
    var passing: [Passing] = []
    while count < line.count, probe == nil, opening(behind: 0) <= now {
      let place = line[count]
      count += 1
      guard waiting.remove(place) != nil else { continue }
      passing.append(Passing(place: place, number: pass(at: now)))
    }
    line.removeFirst(count)
    return passing
  }

  /// Notes what the answer to a pass tells of a server's limit; what an earlier pass tells is old.
  mutating func note(_ told: RateLimitQuota, answering number: Int, at now: Duration) {
    guard number > lastTelling else { return }
    lastTelling = number
    // Those who passed behind it are not counted in it.
    let left = told.remaining - (passes - number)
    let until = now.adding(told.reset.map { min($0, Self.longestReset) } ?? period)
    quota = until > now ? (left, until) : nil
  }

  /// Notes that a pass was answered: where it was a probe, the rest may go.
  mutating func noteAnswer(to number: Int) {
    if isProbe(number) { probe = nil }
  }

  /// Notes that a pass gets no answer: where it was a probe, the next one is.
  mutating func noteLoss(of number: Int) {
    guard isProbe(number) else { return }
    probe = nil
    wantsProbe = true
  }

  /// Takes a pass back with which nothing was sent.
  mutating func takeBack(_ number: Int) {
    full -= interval
    if number > lastTelling { quota?.left += 1 }
    noteLoss(of: number)
  }

  /// Notes for how long a server wants no request.
  mutating func close(for wait: Duration, at now: Duration) {
    closedUntil = max(closedUntil, now.adding(wait))
  }

  /// Forgets what is over.
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

  /// When a request may pass that has so many before it.
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
