import Streams

/// Calls from inside deliveries, and the release of a subscriber.
extension SubjectTrial {
  func cancelInside() {
    let subject = make()
    let probe = Probe(log) { probe, index in
      if index == 2 { probe.cancel() }
      return .none
    }
    let other = Probe(log)
    subject.subscribe(probe)
    subject.subscribe(other)
    for value in 1...4 { subject.send(value) }
    log.expect(
      .independence, other.record.values >= 4, "all values at the other subscriber",
      seen: "\(other.record.values)")
    subject.send(completion: .finished)
    for _ in 1...2 {
      other.request(.max(1))
      other.cancel(.repeatedCalls)
    }
    subject.send(5)
    log.test(.finalCancel)
    log.test(.repeatedCalls)
  }

  func elsewhere() {
    let subject = make()
    let (log, patience) = (log, patience)
    let calls = CallBudget(1)
    let probe = Probe(log) { probe, _ in
      guard calls.take() else { return .none }
      let returns = ScenarioThread.runs(within: patience) {
        probe.request(.max(1))
        let other = Probe(log)
        subject.subscribe(other)
        subject.send(2)
        other.cancel(.cancelElsewhere, allowing: 1)
        probe.cancel(.cancelElsewhere)
      }
      log.expect(
        .noLockHeld, returns, "the calls of another thread return while a value is received",
        seen: "they did not return in time")
      return .none
    }
    subject.subscribe(probe)
    subject.send(1)
    subject.send(3)
    log.test(.cancelElsewhere)
  }

  func callsFromInside() {
    let subject = make()
    let calls = CallBudget(12)
    let log = log
    let act: @Sendable (Probe?) -> Void = { probe in
      guard calls.take() else { return }
      subject.send(9)
      probe?.request(.max(1))
      subject.subscribe(Probe(log, limit: 100))
      if calls.left < 4 { probe?.cancel() }
      if calls.left < 2 { subject.send(completion: .finished) }
    }
    let probe = Probe(
      log, limit: 100,
      onValue: { probe, _ in
        act(probe)
        return .max(1)
      },
      onSubscription: { probe in
        probe.request(.max(1))
        act(probe)
      },
      onEnd: { act($0) })
    subject.subscribe(probe)
    subject.send(1)
    subject.send(completion: .finished)
    log.test(.noLockHeld)
  }

  func stack() {
    let subject = make()
    let probe = StackProbe<Int, Tested.Failure>(.everything, most: 10_000) { subject.send($0) }
    subject.subscribe(probe)
    subject.send(0)
    log.expect(
      .constantStack, probe.record.growth <= StackProbe<Int, Tested.Failure>.limit,
      "a stack of constant depth",
      seen: "\(probe.record.growth) bytes more after \(probe.record.values) values")
    probe.cancel()
  }

  func release() {
    for isCancelled in [true, false] {
      let subject = make()
      let keeper = SubscriptionKeeper()
      let probe = kept(by: keeper, subject)
      subject.send(1)
      if isCancelled {
        keeper.subscription?.cancel()
      } else {
        subject.send(completion: .finished)
      }
      log.expect(
        .release, probe.isReleased,
        "the subscriber is freed after \(isCancelled ? "a cancel" : "the end")",
        seen: "it is still held")
      withExtendedLifetime((keeper, subject)) {}
    }
  }

  /// A separate function, so that nothing of it is left on the stack afterwards.
  @inline(never)
  private func kept(by keeper: SubscriptionKeeper, _ subject: Tested) -> WeakReference<Probe> {
    let probe = Probe(log, keeper: keeper)
    subject.subscribe(probe)
    return WeakReference(probe)
  }

  func upstream() {
    let subject = make()
    let line = PlayedUpstream.Line()
    subject.send(subscription: PlayedUpstream.Connection(line))
    log.expect(
      .upstreamDemand, line.demand == .unlimited, "a subject requests everything",
      seen: "\(line.demand)")
  }
}
