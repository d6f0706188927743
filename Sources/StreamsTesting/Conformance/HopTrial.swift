import Streams

/// One provocation of an operator that delivers on a scheduler.
struct HopTrial<Failure: Error>: Sendable {
  typealias Probe = ConformanceProbe<Int, Failure>
  typealias Upstream = AnyPublisher<Int, ConformanceError>

  let attach: @Sendable (Upstream, any Scheduler) -> AnyPublisher<Int, Failure>
  let log: ConformanceLog

  static var scenarios: [(String, @Sendable (HopTrial) -> Void)] {
    [
      ("ten values and the end, on a scheduler that runs the last job first", { $0.order() }),
      ("three values are requested, and three are on their way", { $0.demand() }),
      ("the downstream cancels while values are on their way", { $0.cancel() }),
    ]
  }

  func order() {
    let (upstream, scheduler, probe) = setUp(demand: .unlimited)
    for value in 1...10 { upstream.send(value) }
    upstream.send(completion: .finished)
    log.expect(
      .hopOrder, probe.record.values == 0 && probe.record.end == nil,
      "nothing before the scheduler runs", seen: "\(probe.record.values) values")
    scheduler.run()
    let record = probe.record
    log.expect(
      .hopOrder, record.texts == (1...10).map(String.init) && record.end == "finished",
      "1 to 10, then the end", seen: "\(record.texts), \(record.endText)")
  }

  func demand() {
    let (upstream, scheduler, probe) = setUp(demand: .max(3))
    let asked = upstream.lines.map(\.demand)
    log.expect(
      .hopDemand, asked == [.max(3)], "three values requested from the upstream", seen: "\(asked)")
    let before = scheduler.jobs
    for value in 1...3 { upstream.send(value) }
    log.expect(
      .hopDemand, scheduler.jobs - before <= 1, "one job for all that waits",
      seen: "\(scheduler.jobs - before)")
    scheduler.run()
    probe.cancel()
  }

  func cancel() {
    let (upstream, scheduler, probe) = setUp(demand: .unlimited)
    for value in 1...3 { upstream.send(value) }
    upstream.send(completion: .finished)
    probe.cancel(.hopCancel)
    scheduler.run()
    log.test(.hopCancel)
  }

  private func setUp(
    demand: Subscribers.Demand
  ) -> (PlayedUpstream, ReversingScheduler, Probe) {
    let upstream = PlayedUpstream()
    let scheduler = ReversingScheduler()
    let probe = Probe(log, demand: demand)
    attach(upstream.eraseToAnyPublisher(), scheduler).subscribe(probe)
    scheduler.run()
    return (upstream, scheduler, probe)
  }
}

/// A scheduler that runs the last waiting job first.
///
/// A concurrent queue may do this at times, and this scheduler always does.
///
/// Its time is the latest time for which a job that has run was scheduled.
final class ReversingScheduler: Scheduler {
  private struct Job: Sendable {
    let number: Int
    let due: Duration
    let action: @Sendable () -> Void
  }

  private struct State: Sendable {
    var jobs = 0
    var now = Duration.zero
    var waiting: [Job] = []

    mutating func add(after delay: Duration, _ action: @escaping @Sendable () -> Void) -> Int {
      jobs += 1
      waiting.append(Job(number: jobs, due: now + delay, action: action))
      return jobs
    }

    mutating func next() -> Job? {
      guard let job = waiting.popLast() else { return nil }
      now = max(now, job.due)
      return job
    }

    mutating func remove(_ number: Int) -> Job? {
      waiting.firstIndex { $0.number == number }.map { waiting.remove(at: $0) }
    }
  }

  private let state = Lock(State())

  var now: Duration { state.withLock { $0.now } }
  /// The number of jobs so far.
  var jobs: Int { state.withLock { $0.jobs } }

  func schedule(_ action: @escaping @Sendable () -> Void) {
    _ = state.withLock { $0.add(after: .zero, action) }
  }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let number = state.withLock { $0.add(after: delay, action) }
    return AnyCancellable { [weak self] in
      // The values that the job holds are freed without the lock.
      let job = self?.state.withLock { $0.remove(number) }
      withExtendedLifetime(job) {}
    }
  }

  func run() {
    while let job = state.withLock({ $0.next() }) { job.action() }
  }
}
