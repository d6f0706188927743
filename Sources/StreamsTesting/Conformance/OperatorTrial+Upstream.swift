import Streams

/// Provocations by a correct upstream.
extension OperatorTrial {
  func demand() {
    guard traits.demand != .own, !traits.isShared else { return }
    let setup = setUp(demand: .max(2))
    func expect(_ demand: Subscribers.Demand) {
      let asked = setup.upstream.lines.map(\.demand)
      log.expect(
        .upstreamDemand, asked.allSatisfy { $0 == demand }, "\(demand) requested from the upstream",
        seen: "\(asked)")
    }
    guard !setup.upstream.lines.isEmpty else { return }
    expect(traits.demand == .unlimited ? .unlimited : .max(2))
    setup.probe.request(.max(3))
    setup.settle()
    expect(traits.demand == .unlimited ? .unlimited : .max(5))
    setup.probe.request(.unlimited)
    setup.settle()
    expect(.unlimited)
    setup.cancel()
  }

  func nothingAsked() {
    guard traits.memory == .full else { return }
    for end in [Subscribers.Completion<ConformanceError>.finished, .failure(ConformanceError())] {
      let setup = setUp(demand: .none)
      setup.upstream.send(completion: end)
      setup.settle()
      let lines = setup.upstream.lines
      if !lines.isEmpty {
        let counts = lines.map(\.emptyRequests)
        log.expect(
          .noneIsNothing, counts.allSatisfy { $0 == 0 }, "no request for none to the upstream",
          seen: "\(counts) of them")
      }
      setup.cancel()
    }
  }

  func cost() {
    guard traits.demand != .own else { return }
    let setup = setUp()
    let before = setup.upstream.lines.map(\.requests)
    setup.send(1...100)
    let after = setup.upstream.lines.map(\.requests)
    if !before.isEmpty {
      log.expect(
        .upstreamCost, after.starts(with: before),
        "no request while values come, since everything was requested", seen: "\(after) requests")
    }
    setup.cancel()
  }

  func context() {
    guard !traits.isShared else { return }
    let setup = setUp()
    for line in setup.upstream.lines {
      log.expect(
        .passedContext, line.hasProbesContext, "the downstream's context", seen: "another one")
    }
    setup.cancel()
  }

  func cancels() {
    guard traits.memory == .full else { return }
    let setup = setUp()
    let lines = setup.upstream.lines
    for _ in 1...3 { setup.probe.cancel() }
    setup.settle()
    expectOneCancel(lines, .upstreamCancel)
  }

  func cancelRace() {
    guard traits.memory == .full else { return }
    for _ in 0..<10 {
      let setup = setUp()
      let lines = setup.upstream.lines
      ScenarioThread.race(4) { _ in setup.probe.cancel() }
      expectOneCancel(lines, .upstreamCancel)
    }
  }

  func cancelInClosure() {
    for end in [Subscribers.Completion<ConformanceError>.finished, .failure(ConformanceError())] {
      for place in 1...3 {
        let closure = CancellingClosure<Output, Failure>(
          place, allowing: traits.isAsynchronous ? 1 : 0)
        let setup = setUp(onTouch: { closure.run() })
        closure.probe.set(setup.probe)
        setup.send(1...3)
        setup.upstream.send(completion: end)
        setup.settle()
        setup.cancel()
        closure.probe.set(nil)
        log.test(.finalCancel)
      }
    }
  }

  /// An operator that ends by itself cancels its upstream first, and the upstream's handler may
  /// cancel in turn.
  func cancelInCancel() {
    for end in [Subscribers.Completion<ConformanceError>.finished, .failure(ConformanceError())] {
      let target = Place<Probe>()
      let setup = setUp(onCancel: { target.value?.cancel() })
      target.set(setup.probe)
      setup.send(1...30)
      setup.upstream.send(completion: end)
      setup.settle()
      setup.cancel()
      target.set(nil)
      log.test(.finalCancel)
    }
  }

  func earlyEnd() {
    let setup = setUp(isForgetful: false)
    let lines = setup.upstream.lines
    setup.send(1...30)
    guard setup.probe.record.end != nil else { return setup.cancel() }
    expectOneCancel(lines, .earlyEnd)
    // A correct upstream, too, may have a value in flight.
    setup.upstream.force(31)
    setup.upstream.send(completion: .finished)
    setup.settle()
  }

  func callsAfterEnd() {
    guard traits.memory == .full else { return }
    for end in [Subscribers.Completion<ConformanceError>.finished, .failure(ConformanceError())] {
      for demand in [Subscribers.Demand.unlimited, .max(3)] {
        let setup = setUp(demand: demand)
        setup.send(1...1)
        let lines = setup.upstream.lines
        guard setup.isRunning else {
          setup.cancel()
          continue
        }
        setup.upstream.send(completion: end)
        setup.settle()
        let inside = lines.map(\.lateCalls)
        log.expect(
          .silenceAfterEnd, inside.allSatisfy { $0 == 0 },
          "no request and no cancel from inside the end", seen: "\(inside) calls")
        setup.probe.request(.max(1))
        setup.cancel()
        setup.settle()
        let after = lines.map(\.lateCalls)
        log.expect(
          .silenceAfterEnd, after == inside, "no request and no cancel after the end",
          seen: "\(after) calls where there were \(inside)")
      }
    }
  }

  func failure() {
    for demand in [Subscribers.Demand.unlimited, .none] {
      let setup = setUp(demand: demand)
      // A value that was not requested may have to go first.
      if demand > .none { setup.send(1...1) }
      guard setup.isRunning else {
        setup.cancel()
        continue
      }
      setup.upstream.send(completion: .failure(ConformanceError()))
      setup.settle { $0.end != nil || traits.failures != .passedOn }
      if traits.failures == .passedOn {
        log.expect(
          .failure, setup.probe.record.end == "failure \(ConformanceError())",
          "that failure, with a demand of \(demand)", seen: setup.probe.record.end ?? "no end")
      }
      setup.cancel()
    }
  }

  func failureAtOnce() {
    guard traits.failures == .passedOn else { return }
    let trial = asPublisher
    let probe = Probe(log, demand: .none)
    attach(
      Fail(outputType: Int.self, failure: ConformanceError()).eraseToAnyPublisher(),
      ConformanceRig(count: 10, scheduler: trial.scheduler)
    ).subscribe(probe)
    trial.settle(probe) { $0.end != nil }
    log.expect(
      .failureAtOnce, probe.record.isFailed && probe.record.subscriptions == 1,
      "a subscription, then the failure",
      seen: "\(probe.record.subscriptions) subscriptions, \(probe.record.end ?? "no end")")
  }

  func releases() {
    guard traits.memory == .full else { return }
    for end in ["the end", "a failure", "a cancel"] {
      if end == "a failure", traits.failures != .passedOn { continue }
      let keeper = SubscriptionKeeper()
      let setup = setUp(keeper: keeper)
      let lines = setup.upstream.lines
      setup.send(1...1)
      switch end {
      case "the end": setup.upstream.send(completion: .finished)
      case "a failure": setup.upstream.send(completion: .failure(ConformanceError()))
      default: setup.cancel()
      }
      setup.settle { $0.end != nil || end == "a cancel" }
      if !lines.isEmpty {
        log.expect(
          .release, lines.allSatisfy(\.isConnectionReleased),
          "the upstream's subscription is freed after \(end)", seen: "it is still held")
      }
      setup.cancel()
    }
  }

  func idle() {
    let trial = asPublisher
    let upstream = PlayedUpstream()
    let made = attach(
      upstream.eraseToAnyPublisher(), ConformanceRig(count: 10, scheduler: trial.scheduler))
    trial.scheduler.advance(by: .seconds(1))
    log.expect(
      .laziness, upstream.lines.isEmpty, "no subscription to the upstream",
      seen: "\(upstream.lines.count) subscriptions to it")
    withExtendedLifetime(made) {}
  }

  private func expectOneCancel(_ lines: [PlayedUpstream.Line], _ rule: ConformanceRule) {
    guard !lines.isEmpty else { return }
    log.expect(
      rule, lines.allSatisfy { $0.cancels == 1 }, "one cancel", seen: "\(lines.map(\.cancels))")
  }
}
