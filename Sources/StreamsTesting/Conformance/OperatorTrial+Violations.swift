import Streams

/// Provocations by an upstream that breaks the rules.
extension OperatorTrial {
  func secondSubscription() {
    guard traits.memory != .none else { return }
    let setup = setUp()
    guard let line = setup.upstream.lines.last, line.cancels == 0 else { return }
    let second = PlayedUpstream.Line()
    let rules = violations { setup.upstream.force(PlayedUpstream.Connection(second)) }
    setup.settle()
    log.expect(
      .secondSubscription,
      second.cancels == setup.upstream.lines.count && second.requests == 0 && line.cancels == 0,
      "the second one cancelled without a request, the first one kept",
      seen: "\(second.cancels) cancels and \(second.requests) requests of the second one, "
        + "\(line.cancels) cancels of the first")
    expectReport(of: .secondSubscription, in: rules, .secondSubscription)
    setup.cancel()
  }

  func valueAfterEnd() {
    guard let setup = ended() else { return }
    let before = setup.probe.record.values
    let rules = violations { setup.upstream.force(2) }
    setup.settle()
    log.expect(
      .valueAfterEnd, setup.probe.record.values == before, "no value after the upstream's end",
      seen: "\(setup.probe.record.values - before) values")
    expectReport(of: .valueAfterEnd, in: rules, .valueAfterEnd)
    setup.cancel()
  }

  func secondEnd() {
    guard let setup = ended() else { return }
    let before = setup.probe.record
    let rules = violations {
      setup.upstream.send(completion: .failure(ConformanceError()))
    }
    setup.settle()
    log.expect(
      .secondEnd, setup.probe.record.end == before.end, before.endText,
      seen: setup.probe.record.endText)
    expectReport(of: .secondEnd, in: rules, .secondEnd)
    setup.cancel()
  }

  func beforeSubscription() {
    guard traits.memory != .none else { return }
    for demand in [Subscribers.Demand.unlimited, .none] {
      beforeSubscription(asking: demand) { _ = $0.receive(1) }
    }
    // An end is passed on in any case, so that the downstream learns of it.
    beforeSubscription(asking: .unlimited, isEnd: true) { $0.receive(completion: .finished) }
  }

  private func beforeSubscription(
    asking demand: Subscribers.Demand, isEnd: Bool = false,
    _ signal: @escaping @Sendable (PlayedUpstream.Downstream) -> Void
  ) {
    let trial = asPublisher
    let early = EarlyUpstream(signal)
    let seen = ConformanceLog(log.provocation)
    let probe = Probe(seen, demand: demand)
    let made = attach(
      early.eraseToAnyPublisher(), ConformanceRig(count: 10, scheduler: trial.scheduler))
    let rules = violations {
      made.subscribe(probe)
      trial.scheduler.advance(by: .seconds(1))
    }
    if early.isSubscribed, !isEnd {
      let broken = seen.entries.findings.map(\.seen)
      log.expect(
        .beforeSubscription, broken.isEmpty, "the value dropped",
        seen: "\(broken), with a demand of \(demand)")
      expectReport(of: .valueBeforeSubscription, in: rules, .beforeSubscription)
    }
    probe.cancel(allowing: .max)
  }

  func excess() {
    // An operator that passes demand on may pass on excess values: the fault is not its own.
    let setup = setUp(demand: .max(1), demandRule: traits.demand == .passedOn ? nil : .excess)
    for value in 1...5 { setup.upstream.force(value) }
    setup.settle()
    setup.upstream.send(completion: .finished)
    setup.settle()
    setup.cancel()
    if !setup.upstream.lines.isEmpty { log.test(.excess) }
  }

  func strayAfterCancel() {
    guard traits.memory == .full else { return }
    let setup = setUp(isForgetful: false)
    setup.probe.cancel(.strayAfterCancel)
    let rules = violations {
      setup.upstream.force(1)
      setup.upstream.send(completion: .finished)
    }
    setup.settle()
    if !setup.upstream.lines.isEmpty {
      log.expect(
        .strayAfterCancel, rules.isEmpty, "no report: a signal may be under way",
        seen: "\(rules.map(\.rawValue))")
    }
  }

  func sharing() {
    guard traits.isShared else { return }
    for _ in 0..<10 {
      let trial = asPublisher
      let upstream = PlayedUpstream()
      let made = attach(
        upstream.eraseToAnyPublisher(), ConformanceRig(count: 10, scheduler: trial.scheduler))
      let probes = (1...2).map { _ in Probe(log) }
      ScenarioThread.race(2) { made.subscribe(probes[$0]) }
      trial.settle(probes[0])
      upstream.send(1)
      trial.settle(probes[0])
      log.expect(
        .oneConnection, upstream.lines.count == 1, "one subscription to the upstream",
        seen: "\(upstream.lines.count)")
      log.expect(
        .oneConnection, probes.allSatisfy { $0.record.values == 1 },
        "the value reaches both subscribers", seen: "\(probes.map(\.record.values)) values")
      for probe in probes { probe.cancel() }
      let cancels = upstream.lines.map(\.cancels)
      log.expect(
        .oneConnection, cancels == [1], "one cancel, when the last subscriber leaves",
        seen: "\(cancels)")
    }
  }

  /// Returns an operator whose upstream has ended and continues to send, or nil if the operator
  /// ended before.
  private func ended() -> Setup? {
    guard traits.memory != .none else { return nil }
    let setup = setUp(isForgetful: false)
    setup.send(1...1)
    guard setup.isRunning else { return nil }
    setup.upstream.send(completion: .finished)
    setup.settle { $0.end != nil }
    return setup
  }

  private func expectReport(
    of violation: ContractViolation.Rule, in rules: [ContractViolation.Rule],
    _ rule: ConformanceRule
  ) {
    log.expect(
      rule, rules.contains(violation), "a report to ContractViolation: \(violation.rawValue)",
      seen: rules.isEmpty ? "none" : "\(rules.map(\.rawValue))")
  }
}

/// An upstream that sends a signal first, and a subscription afterwards.
private final class EarlyUpstream: Publisher {
  typealias Output = Int
  typealias Failure = ConformanceError

  private let signal: @Sendable (PlayedUpstream.Downstream) -> Void
  private let place = Place<PlayedUpstream.Downstream>()

  init(_ signal: @escaping @Sendable (PlayedUpstream.Downstream) -> Void) {
    self.signal = signal
  }

  var isSubscribed: Bool { place.value != nil }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == ConformanceError {
    let downstream = PlayedUpstream.Downstream(subscriber)
    place.set(downstream)
    signal(downstream)
    downstream.receive(subscription: PlayedUpstream.Connection(PlayedUpstream.Line()))
  }
}
