import Streams

/// Calls from inside calls, and from other threads.
extension Trial {
  func callsFromElsewhere() {
    let count = reference().due
    let (log, patience) = (log, traits.patience)
    let publisher = publisher()
    let probe = Probe(log, demand: .max(1)) { probe, index in
      guard index == 1 else { return .none }
      let returns = ScenarioThread.runs(within: patience) {
        probe.request(.max(1))
        let other = Probe(log, demand: .max(1))
        publisher.subscribe(other)
        other.cancel(allowing: 1)
      }
      log.expect(
        .noLockHeld, returns,
        "request and subscribe on another thread return while a value is received",
        seen: "they did not return in time")
      return .none
    }
    publisher.subscribe(probe)
    settle(probe) { $0.values >= min(count, 2) }
    log.expect(
      .demandAddsUp, probe.record.values >= min(count, 2),
      "\(min(count, 2)) values: one requested at first, one by another thread meanwhile",
      seen: "\(probe.record.values)")
    probe.cancel()
  }

  /// Every callback requests, subscribes and cancels.
  ///
  /// Code that holds a lock meanwhile never returns.
  func callsFromInside() {
    let calls = CallBudget(12)
    let place = Place<(@Sendable () -> Void)>()
    let publisher = publisher(
      onTouch: { if calls.take() { place.value?() } },
      onRelease: { if calls.take() { place.value?() } })
    let probe = Probe(
      log, limit: 100,
      onValue: { _, _ in
        place.value?()
        return .max(1)
      },
      onSubscription: { probe in
        probe.request(.max(1))
        place.value?()
      },
      onEnd: { _ in place.value?() })
    let log = log
    place.set { [weak probe] in
      guard calls.take() else { return }
      probe?.request(.max(1))
      publisher.subscribe(Probe(log, limit: 100, demand: .max(2)))
      if calls.left < 4 { probe?.cancel(allowing: 1) }
    }
    publisher.subscribe(probe)
    settle(probe)
    probe.cancel(allowing: 1)
    settle(probe)
    place.set(nil)
    log.test(.noLockHeld)
  }

  func threads() {
    for round in 0..<10 {
      let count = reference(count: 30).due
      let probe = Probe(log, demand: .none)
      publisher(count: 30).subscribe(probe)
      ScenarioThread.race(3) { thread in
        switch thread {
        case 0, 1: for _ in 0..<20 { probe.request(.max(1)) }
        default: if round.isMultiple(of: 2) { probe.cancel(.cancelElsewhere, allowing: 1) }
        }
      }
      let due = min(count, 40)
      if round.isMultiple(of: 2) {
        settle(probe)
      } else {
        settle(probe) { $0.values >= due }
        log.expect(
          .demandAddsUp, probe.record.values >= due, "\(due) values for requests of two threads",
          seen: "\(probe.record.values)")
      }
      log.test(.serial)
      probe.cancel(.cancelElsewhere, allowing: 1)
    }
  }
}

/// A limit on repeated calls, so that nested calls come to an end.
final class CallBudget: Sendable {
  private let state: Lock<Int>

  init(_ budget: Int) {
    state = Lock(budget)
  }

  var left: Int { state.withLock { $0 } }

  func take() -> Bool {
    state.withLock { left in
      left -= 1
      return left >= 0
    }
  }
}

/// A place for a value that is set later.
final class Place<Value: Sendable>: Sendable {
  private struct Content: Sendable {
    var value: Value?
  }

  private let state = Lock(Content())

  var value: Value? { state.withLock { $0.value } }

  func set(_ value: Value?) {
    let released = state.withLock { state in
      defer { state.value = value }
      return state.value
    }
    withExtendedLifetime(released) {}
  }
}
