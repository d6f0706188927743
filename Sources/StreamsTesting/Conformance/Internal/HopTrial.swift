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
      ("three values are asked for, and three are on their way", { $0.demand() }),
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
      "1 to 10, then the end", seen: "\(record.texts), \(record.end ?? "no end")")
  }

  func demand() {
    let (upstream, scheduler, probe) = setUp(demand: .max(3))
    let asked = upstream.lines.map(\.demand)
    log.expect(
      .hopDemand, asked == [.max(3)], "three values asked of the upstream", seen: "\(asked)")
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

/// Runs what waits, the last job first: what a concurrent queue may do, and always.
final class ReversingScheduler: Scheduler {
  private struct State: Sendable {
    var jobs = 0
    var waiting: [@Sendable () -> Void] = []
  }

  private let state = Lock(State())

  var now: Duration { .zero }
  /// How many jobs there have been.
  var jobs: Int { state.withLock { $0.jobs } }

  func schedule(_ action: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.jobs += 1
      state.waiting.append(action)
    }
  }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    schedule(action)
    return AnyCancellable {}
  }

  func run() {
    while let job = state.withLock({ $0.waiting.popLast() }) { job() }
  }
}
