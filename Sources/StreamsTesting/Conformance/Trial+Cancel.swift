import Streams

/// Cancels, at each place where one is possible.
extension Trial {
  func cancelInSubscription() {
    let probe = Probe(
      log,
      onSubscription: { probe in
        probe.cancel()
        probe.request(.unlimited)
      })
    publisher().subscribe(probe)
    settle(probe)
    log.test(.finalCancel)
  }

  func cancelInValue() {
    let reference = reference()
    let count = reference.count
    for place in Set([1, 2, count]).sorted() where place <= count && place > 0 {
      let probe = Probe(log, limit: 1_000) { probe, index in
        if index == place { probe.cancel() }
        return .unlimited
      }
      publisher().subscribe(probe)
      let due = min(place, reference.due)
      settle(probe) { $0.values >= due }
      log.expect(
        .demandAddsUp, probe.record.values >= due, "\(due) values",
        seen: "\(probe.record.values)")
      log.test(.finalCancel)
    }
  }

  /// A closure of the publisher or operator cancels.
  ///
  /// No signal follows, not even the one that the closure works on.
  func cancelInClosure() {
    for place in 1...3 {
      let closure = CancellingClosure<Output, Failure>(
        place, allowing: traits.isAsynchronous ? 1 : 0)
      let probe = Probe(log, limit: 100)
      closure.probe.set(probe)
      publisher(onTouch: { closure.run() }).subscribe(probe)
      settle(probe)
      probe.cancel(allowing: traits.isAsynchronous ? 1 : 0)
      closure.probe.set(nil)
      log.test(.finalCancel)
    }
  }

  func cancelInEnd() {
    guard reference().end != nil else { return }
    for isCancelled in [true, false] {
      let probe = Probe(
        log,
        onEnd: { probe in
          if isCancelled { probe.cancel() }
          probe.request(.unlimited)
        })
      publisher().subscribe(probe)
      settle(probe) { $0.end != nil }
      log.expect(.repeatedCalls, probe.record.end != nil, "an end", seen: "none")
    }
  }

  func callsAfterwards() {
    let isFinite = reference().end != nil
    for isCancelled in [true, false] where isCancelled || isFinite {
      let probe = Probe(log, demand: isCancelled ? .max(1) : .unlimited)
      publisher().subscribe(probe)
      settle(probe) { isCancelled || $0.end != nil }
      if isCancelled { probe.cancel(.repeatedCalls) }
      let before = probe.record
      for _ in 1...3 {
        probe.request(.max(1))
        probe.cancel(.repeatedCalls)
      }
      settle(probe)
      log.expect(
        .repeatedCalls, probe.record.values == before.values && probe.record.end == before.end,
        "no signal after request and cancel were called once more",
        seen: "\(probe.record.values - before.values) values, \(probe.record.endText)")
    }
  }

  /// Another thread cancels while a value is being received.
  ///
  /// That value is the one in flight.
  func cancelElsewhere() {
    let (log, patience) = (log, traits.patience)
    let probe = Probe(log, limit: 100) { probe, index in
      if index == 1 {
        let returns = ScenarioThread.runs(within: patience) { probe.cancel(.cancelElsewhere) }
        log.expect(
          .noLockHeld, returns, "cancel() on another thread returns while a value is received",
          seen: "it did not return in time")
      }
      return .none
    }
    publisher().subscribe(probe)
    let due = min(reference().due, 1)
    settle(probe) { $0.values >= due }
    if probe.record.values > 0 { log.test(.cancelElsewhere) }
  }
}

/// A closure that cancels its own subscription, after a few calls.
final class CancellingClosure<Input: Sendable, Failure: Error>: Sendable {
  let probe = Place<ConformanceProbe<Input, Failure>>()
  private let early: CallBudget
  private let allowance: Int

  /// - Parameters:
  ///   - place: The number of the call that cancels.
  ///   - allowance: The number of signals that may still arrive. A closure in a task of its own
  ///     cancels on another thread than that of a signal that is on its way.
  init(_ place: Int, allowing allowance: Int) {
    early = CallBudget(place - 1)
    self.allowance = allowance
  }

  func run() {
    if let probe = probe.value, !early.take() { probe.cancel(allowing: allowance) }
  }
}
