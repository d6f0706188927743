import Streams

/// The demand, and the signals that it brings.
extension Trial {
  func everythingAtOnce() {
    let probe = Probe(log, limit: 100)
    publisher().subscribe(probe)
    settle(probe) { $0.end != nil }
    let record = probe.record
    log.expect(
      .oneSubscription, record.subscriptions == 1, "one subscription",
      seen: "\(record.subscriptions) of them")
    log.expect(
      .progress, record.values > 0 || record.end != nil, "values or an end", seen: "nothing")
    if record.end != nil { log.test(.nothingAfterEnd) }
  }

  func stepByStep() {
    let reference = reference()
    let probe = Probe(log, demand: .none)
    publisher().subscribe(probe)
    settle(probe)
    if reference.count > 0 { log.test(.demand) }
    var asked = 0
    for step in [1, 1, 2, 0] {
      let before = probe.record.values
      probe.request(.max(step))
      asked += step
      let due = min(asked, reference.due)
      settle(probe) { $0.values >= due }
      if step == 0 {
        log.expect(
          .noneIsNothing, probe.record.values == before, "no value after a request for none",
          seen: "\(probe.record.values - before) values")
      } else {
        log.expect(
          .demandAddsUp, probe.record.values >= due, "\(due) values when \(asked) were requested",
          seen: "\(probe.record.values)")
      }
    }
    probe.request(.max(reference.count))
    settle(probe) { $0.values >= reference.due && ($0.end != nil || reference.end == nil) }
    compare(probe.record, with: reference, rule: .demandAddsUp)
    probe.cancel()
  }

  func returnedDemand() {
    let due = min(reference().due, 5)
    let probe = Probe(log, demand: .max(1)) { _, index in index <= 2 ? .max(2) : .none }
    expect(
      due, in: probe, "\(due) values: one requested, and twice two returned from receive(_:)")
  }

  func requestInside() {
    let due = min(reference().due, 5)
    let probe = Probe(log, demand: .max(1)) { probe, index in
      if index <= 2 {
        probe.request(.max(1))
        probe.request(.max(1))
      }
      return .none
    }
    expect(
      due, in: probe,
      "\(due) values: one requested at first, and twice one from inside each of the first two")
  }

  /// Subscribes a probe that requests by itself, and expects a number of values.
  private func expect(_ due: Int, in probe: Probe, _ expected: @autoclosure () -> String) {
    publisher().subscribe(probe)
    settle(probe) { $0.values >= due }
    log.expect(
      .demandAddsUp, probe.record.values >= due, expected(), seen: "\(probe.record.values)")
    probe.cancel()
  }

  func saturation() {
    let reference = reference()
    // An endless publisher would send forever.
    guard reference.end != nil else { return }
    let probe = Probe(
      log,
      onValue: { probe, index in
        if index == 1 { for _ in 1...3 { probe.request(.max(.max - 1)) } }
        return .none
      },
      onSubscription: { $0.request(.max(1)) })
    publisher().subscribe(probe)
    settle(probe) { $0.end != nil || reference.count == 0 }
    compare(probe.record, with: reference, rule: .demandSaturates)
  }

  func endWithoutDemand() {
    for count in [leastCount, Self.size] {
      let reference = reference(count: count)
      guard reference.count == 0, let end = reference.end else { continue }
      let probe = Probe(log, demand: .none)
      publisher(count: count).subscribe(probe)
      settle(probe) { $0.end != nil }
      log.expect(
        .endNeedsNoDemand, probe.record.end == end, "\(end), although nothing was requested",
        seen: probe.record.endText)
    }
  }

  /// Requests all values, and not one more.
  func exactDemand() {
    guard !log.skips(.promptEnd) else { return }
    let reference = reference()
    guard reference.count > 0, let end = reference.end else { return }
    let probe = Probe(log, demand: .max(1)) { _, index in
      index < reference.count ? .max(1) : .none
    }
    publisher().subscribe(probe)
    settle(probe) { $0.end != nil }
    log.expect(
      .promptEnd, probe.record.end == end,
      "\(end), although no more was requested than the \(reference.count) values",
      seen: probe.record.endText)
    probe.cancel()
  }

  /// Requests one more, although everything was requested.
  ///
  /// An end that comes only then was held back.
  func heldEnd() {
    guard reference().end == nil else { return }
    for demand in [Subscribers.Demand.unlimited, .max(Self.size * 16)] {
      guard end(asking: demand, thenOneMore: false) == nil else { return }
      let end = end(asking: demand, thenOneMore: true)
      log.expect(
        .progress, end == nil, "an end that waits for no request, since everything was requested",
        seen: "\(end ?? "no end"), only after one more request")
    }
  }

  private func end(asking demand: Subscribers.Demand, thenOneMore asksAgain: Bool) -> String? {
    let probe = Probe(log, limit: Self.size * 16, demand: demand)
    publisher().subscribe(probe)
    settle(probe)
    if asksAgain, probe.record.end == nil { probe.request(.max(1)) }
    settle(probe) { $0.end != nil }
    probe.cancel(allowing: traits.isAsynchronous ? 1 : 0)
    return probe.record.end
  }

  func severalSubscribers() {
    let reference = reference()
    let probes = (1...3).map { _ in Probe(log, demand: .none) }
    let publisher = publisher()
    for probe in probes { publisher.subscribe(probe) }
    for step in 1...3 {
      for (index, probe) in probes.enumerated() where index < step { probe.request(.max(1)) }
      for probe in probes { settle(probe) }
    }
    for probe in probes.reversed() {
      probe.request(.max(reference.count))
      settle(probe) { $0.values >= reference.due && ($0.end != nil || reference.end == nil) }
    }
    for probe in probes {
      compare(probe.record, with: reference, rule: .independence)
      probe.cancel()
    }
  }

  private func compare(
    _ record: Probe.Record, with reference: Reference, rule: ConformanceRule
  ) {
    let texts = record.texts.prefix(reference.count)
    let isAlike =
      traits.isOrdered
      ? texts.elementsEqual(reference.texts) : texts.sorted() == reference.texts.sorted()
    log.expect(
      rule,
      (traits.isLossy || isAlike)
        && (reference.end == nil || record.end == reference.end),
      "\(reference.texts), \(reference.end ?? "no end"), as when everything is requested at once",
      seen: "\(record.texts), \(record.endText)")
  }
}
