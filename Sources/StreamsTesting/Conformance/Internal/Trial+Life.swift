import Dispatch
import Streams

/// What lives how long, what runs when, and how deep.
extension Trial {
  func stack() {
    // Values that come on several threads have no stack in common.
    guard !traits.isAsynchronous else { return }
    let modes: [(String, Subscribers.Demand, Probe.ValueHook)] = [
      ("everything was asked for at once", .unlimited, { _, _ in .none }),
      ("each value returned a demand for one more", .max(1), { _, _ in .max(1) }),
      (
        "each value asked for one more from inside", .max(1),
        { probe, _ in
          probe.request(.max(1))
          return .none
        }
      ),
    ]
    var first: Int?
    for (words, demand, hook) in modes {
      let probe = Probe(
        log, limit: traits.stackValues * 4, measuresStack: true, demand: demand, onValue: hook)
      publisher(count: traits.stackValues).subscribe(probe)
      settle(probe)
      let record = probe.record
      log.expect(
        .constantStack, record.stackGrowth <= StackLimit.growth,
        "a stack of constant depth, where \(words)",
        seen: "\(record.stackGrowth) bytes more after \(record.values) values")
      log.expect(
        .demandAddsUp, record.values == first ?? record.values,
        "\(first ?? 0) values, where \(words)", seen: "\(record.values)")
      first = first ?? record.values
      probe.cancel()
    }
  }

  func release() {
    let isFinite = reference().end != nil
    for isCancelled in [true, false] where isCancelled || isFinite {
      let keeper = SubscriptionKeeper()
      let (rig, probe) = kept(by: keeper, demand: isCancelled ? .max(1) : .unlimited)
      scheduler.advance(by: .seconds(1))
      if isCancelled { keeper.subscription?.cancel() }
      scheduler.advance(by: .seconds(1))
      let words = isCancelled ? "a cancel" : "the end"
      waitForRelease { probe.isReleased && rig.isReleased }
      log.expect(
        .release, probe.isReleased, "the subscriber is freed after \(words)",
        seen: "it is still held, though nobody but the subscription can hold it")
      log.expect(
        .release, rig.isReleased, "closures are freed after \(words)",
        seen: "they are still held, though nobody but the subscription can hold them")
      withExtendedLifetime(keeper) {}
    }
  }

  /// A place of its own, so that nothing of it is left on the stack afterwards.
  @inline(never)
  private func kept(
    by keeper: SubscriptionKeeper, demand: Subscribers.Demand
  ) -> (WeakReference<ConformanceRig>, WeakReference<Probe>) {
    let rig = ConformanceRig(count: Self.size, scheduler: scheduler)
    let probe = Probe(log, keeper: keeper, demand: demand)
    make(rig).subscribe(probe)
    return (WeakReference(rig), WeakReference(probe))
  }

  private func waitForRelease(_ isReleased: () -> Bool) {
    guard traits.isAsynchronous else { return }
    let probe = Probe(ConformanceLog(""))
    var left = 20_000
    while !isReleased(), left > 0 {
      _ = probe.bell.wait(timeout: .now() + 0.001)
      left -= 1
    }
  }

  func laziness() {
    let touches = CallBudget(.max)
    let made = publisher(onTouch: { _ = touches.take() })
    settle(Probe(ConformanceLog("")))
    log.expect(
      .laziness, touches.left == .max, "no call of a closure before a subscription",
      seen: "\(.max - touches.left) of them")
    var each: Int?
    for number in 1...2 {
      let before = touches.left
      let probe = Probe(log, limit: 100)
      made.subscribe(probe)
      settle(probe) { $0.end != nil }
      if probe.record.end == nil { return probe.cancel() }
      let calls = before - touches.left
      log.expect(
        .laziness, calls == each ?? calls,
        "\(each ?? 0) calls of its closures for each subscription",
        seen: "\(calls) for subscription \(number)")
      each = calls
    }
  }
}
