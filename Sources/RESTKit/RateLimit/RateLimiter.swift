import Foundation
import Streams

/// A limit of requests per time: a token bucket with a line of waiting requests.
///
/// ```swift
/// struct ShopAPI: RESTAPI {
///   let baseURL = "https://api.example.com/v1"
///   let rateLimiter = RateLimiter(10, per: .seconds(1))
/// }
/// ```
///
/// A full bucket has as many turns as the `burst` of its initializer. They return one by one,
/// evenly over the time. A request without a turn waits, first come, first served, and then leaves
/// on the limiter's scheduler. A cancel gives its place to the requests behind it.
/// A request whose token expires in the line gives its turn back, waits for another token, and
/// returns to the head.
///
/// Each request that reaches the transport takes a turn: retries, repetitions after a refresh,
/// redirects within the first request's origin, each start of a download or a stream. A response
/// from a cache takes no turn, and calls that share an exchange take one together. The wait does
/// not count for the request's `timeoutInterval`. It counts for ``RetryPolicy/attemptTimeout``,
/// ``RetryPolicy/totalTime`` and a ``CallDeadline``. In the log of a call, the wait is
/// ``CallEvent/Kind/waiting(_:because:budget:)``.
///
/// A server's limits apply to all requests of a limiter. After a 403, a 429 or a 503 with
/// `Retry-After` (RFC 9110 §10.2.3), no request leaves for that time. After `RateLimit` and related
/// fields, see `HTTPHeaders.rateLimitQuota(now:)`, no more requests leave until the reset than the
/// server accepts. Both count for an hour at most. After such a wait, one request leaves first. The
/// others wait for its response, for a minute at most.
///
/// A request fails with ``RESTError`` of kind ``RESTError/Kind/rateLimit``, and is not sent, if the
/// line is full or if its turn would come too late. A stale response of a cache takes the place of
/// this failure, as if the server could not be reached.
///
/// Keep one limiter as long as its limit applies. Several APIs may share it. It is safe to use from
/// any thread.
public final class RateLimiter: Sendable {
  private struct State: Sendable {
    var machine: RateLimitMachine
    var waits: [Int: CallWait<Int>] = [:]
    /// The timer for the first request in the line, and its time.
    ///
    /// A number identifies the timer.
    var timer: (any Cancellable)?
    var wakeTime: Duration?
    var timerNumber = 0
  }

  private let state: Lock<State>
  private let maxWait: Duration
  private let honorsServer: Bool
  /// Reads the time of a closed limit from a response; nil to look at the head alone.
  private let retryAfter: (@Sendable (RESTResponse) -> Duration?)?
  private let scheduler: any Scheduler
  private let wallClock: @Sendable () -> Date

  /// - Parameters:
  ///   - requests: The number of requests per period; at least one.
  ///   - period: The period.
  ///   - burst: The number of requests that may leave at once after a pause. The default is
  ///     `requests`.
  ///   - maxWaiting: The maximum number of waiting requests.
  ///   - maxWait: The longest wait for a turn, as it is estimated when a request arrives. The
  ///     estimate is not repeated: a later response of the server may make the wait longer. A
  ///     ``CallDeadline`` limits the whole wait.
  ///   - honorsServer: Whether `Retry-After` and `RateLimit` in responses apply.
  ///   - retryAfter: A closure that reads, from a whole response with one of these statuses, the
  ///     time after which the server wants the next request, for a server that names it in the
  ///     body. It counts as a `Retry-After`; of both, the longer one counts. It runs on the thread
  ///     that delivers the response. It does not run for a response in pieces.
  ///   - scheduler: The scheduler that measures the time. Requests that waited are sent on it.
  public convenience init(
    _ requests: Int, per period: Duration, burst: Int? = nil, maxWaiting: Int = 1_000,
    maxWait: Duration = .seconds(60), honorsServer: Bool = true,
    retryAfter: (@Sendable (RESTResponse) -> Duration?)? = nil,
    scheduler: any Scheduler = StandardTime.scheduler(else: .continuous)
  ) {
    self.init(
      RateLimitMachine(
        requests: requests, period: period, burst: burst ?? requests, maxWaiting: maxWaiting),
      maxWait: maxWait, honorsServer: honorsServer, retryAfter: retryAfter, scheduler: scheduler,
      wallClock: StandardTime.wallClock())
  }

  init(
    _ machine: RateLimitMachine, maxWait: Duration, honorsServer: Bool,
    retryAfter: (@Sendable (RESTResponse) -> Duration?)? = nil, scheduler: any Scheduler,
    wallClock: @escaping @Sendable () -> Date
  ) {
    state = Lock(State(machine: machine))
    self.maxWait = maxWait
    self.honorsServer = honorsServer
    self.retryAfter = retryAfter
    self.scheduler = scheduler
    self.wallClock = wallClock
  }

  // MARK: The line

  /// Takes back a pass whose request was not sent, for the next request in the line.
  func takeBack(_ pass: Int) {
    state.withLock { $0.machine.takeBack(pass) }
    setTimer()
  }

  /// Gives up a place in the line.
  func leave(_ place: Int) {
    let released = state.withLock { state in
      state.machine.leave(place)
      return state.waits.removeValue(forKey: place)
    }
    withExtendedLifetime(released) {}
    setTimer()
  }

  private func arrive(
    patience: Duration, rank: RateLimitMachine.Rank
  ) -> (RateLimitMachine.Arrival, CallWait<Int>?) {
    let now = scheduler.now
    return state.withLock { state in
      let arrival = state.machine.arrive(at: now, patience: patience, rank: rank)
      guard case .wait(let place, _) = arrival else { return (arrival, nil) }
      let wait = CallWait<Int> { [self] unused in
        if let unused { takeBack(unused) } else { leave(place) }
      }
      state.waits[place] = wait
      return (arrival, wait)
    }
  }

  /// Sets the timer to the turn of the first request in the line.
  ///
  /// Requests leave the line only when it fires.
  private func setTimer() {
    let (old, next) = state.withLock {
      state -> ((any Cancellable)?, (time: Duration, number: Int)?) in
      let time = state.machine.nextPass
      guard time != state.wakeTime else { return (nil, nil) }
      state.wakeTime = time
      state.timerNumber += 1
      return (state.timer.take(), time.map { ($0, state.timerNumber) })
    }
    old?.cancel()
    guard let next else { return }
    let timer = scheduler.schedule(after: next.time - scheduler.now) { [self] in
      wake(by: next.number, at: next.time)
    }
    let isOld = state.withLock { state in
      guard state.timerNumber == next.number, state.wakeTime != nil else { return true }
      state.timer = timer
      return false
    }
    if isOld { timer.cancel() }
  }

  /// - Parameter time: The timer's target. It has come, even on a scheduler without passing time.
  private func wake(by timer: Int, at time: Duration) {
    let now = max(scheduler.now, time)
    let (old, passing) = state.withLock { state -> ((any Cancellable)?, [(CallWait<Int>, Int)]) in
      guard state.timerNumber == timer else { return (nil, []) }
      state.wakeTime = nil
      let passing = state.machine.wake(at: now).compactMap { passing in
        state.waits.removeValue(forKey: passing.place).map { ($0, passing.number) }
      }
      return (state.timer.take(), passing)
    }
    // A scheduler's own object, whose deinitializer may run any code.
    withExtendedLifetime(old) {}
    // The timer is set before the requests leave: their subscribers may be slow, and later requests
    // need not wait.
    setTimer()
    for (wait, number) in passing where !wait.end(with: .success(number)) { takeBack(number) }
  }
}

// The turns of requests.
extension RateLimiter {
  /// The facts about a request that asks for a turn.
  struct Request: Sendable {
    let summary: RequestSummary
    /// The deadline of the call; nil for none.
    let deadline: CallDeadline?
    let journal: CallJournal?

    /// Returns the error of a request that never gets a turn.
    func refusal(because reason: String, remedy: String) -> any Error {
      let error = RESTError(
        .rateLimit, reason: "the request was not sent: \(reason)", remedy: remedy,
        request: summary, attempts: 0)
      return journal.map { error.recorded(in: $0) } ?? error
    }
  }

  enum Turn {
    /// The request leaves now, with this pass.
    case pass(Int)
    /// The request leaves with the pass that it waits for.
    case wait(CallWait<Int>)
    case refused(any Error)
  }

  /// Asks for the turn of a request.
  ///
  /// - Parameters:
  ///   - rank: The request's part of the line.
  ///   - isLate: Whether it gave that turn back, so that its wait has already been accepted.
  func turn(of request: Request, rank: RateLimitMachine.Rank, isLate: Bool) -> Turn {
    let timeLeft = request.deadline?.remaining
    let patience = isLate ? Duration.seconds(RetryAfter.longest) : min(maxWait, timeLeft ?? maxWait)
    let (arrival, wait) = arrive(patience: patience, rank: rank)
    switch arrival {
    case .pass(let number): return .pass(number)
    case .wait(_, let time):
      request.journal?.record(.waiting(time, because: "its RateLimiter has no turn", budget: nil))
      TestTime.current?.noteWait(
        of: time, on: scheduler, by: "RateLimiter", call: request.summary)
      setTimer()
    case .lineIsFull:
      return refuse(
        request, because: "the line of its RateLimiter is full",
        remedy: "Send fewer requests at a time, or raise maxWaiting of the RateLimiter.")
    case .tooLate(let time) where time <= maxWait:
      return refuse(
        request,
        because: "its RateLimiter has a turn in \(time), after the deadline of call(deadline:)",
        remedy: "Send fewer requests, or call with a later deadline.")
    case .tooLate(let time):
      return refuse(
        request, because: "its RateLimiter has a turn only in \(time)",
        remedy: "Send it later, or raise maxWait of the RateLimiter.")
    }
    return wait.map { Turn.wait($0) } ?? .pass(0)
  }

  /// Records that a pass gets no response.
  ///
  /// After a probe, the next pass becomes the probe.
  func noteLoss(of pass: Int) {
    let isProbe = state.withLock { state in
      defer { state.machine.noteLoss(of: pass) }
      return state.machine.isProbe(pass)
    }
    if isProbe { setTimer() }
  }

  /// - Parameter response: The whole response; nil if it comes in pieces.
  func note(
    _ head: ResponseHead, of response: @autoclosure () -> RESTResponse?, answering pass: Int
  ) {
    guard honorsServer else { return }
    let now = scheduler.now
    let date = wallClock()
    let (isProbe, period) = state.withLock { ($0.machine.isProbe(pass), $0.machine.period) }
    let quota = head.headers.rateLimitQuota(now: date, unknownReset: period)
    // Some servers limit with a 403, such as GitHub's.
    let isClosed = [403, 429, 503].contains(head.statusCode)
    var retryAfter = isClosed ? head.headers.retryAfter(now: date) : nil
    if isClosed, let read = self.retryAfter, let wait = response().flatMap(read) {
      retryAfter = max(retryAfter ?? .zero, wait.asRetryAfter)
    }
    guard isProbe || quota != nil || retryAfter != nil else { return }
    state.withLock { [retryAfter] state in
      state.machine.noteResponse(to: pass)
      if let quota { state.machine.note(quota, answering: pass, at: now) }
      if let retryAfter { state.machine.close(for: retryAfter, at: now) }
    }
    setTimer()
  }

  private func refuse(_ request: Request, because reason: String, remedy: String) -> Turn {
    .refused(request.refusal(because: reason, remedy: remedy))
  }
}
