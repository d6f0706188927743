import Dispatch
import Streams

/// The lifetimes, the times of calls, and the depth of the stack.
extension Trial {
  func stack() {
    // Values that arrive on several threads have no stack in common.
    guard !traits.isAsynchronous else { return }
    var first: Int?
    for mode in StackProbe<Output, Failure>.Mode.allCases {
      let probe = StackProbe<Output, Failure>(mode, most: traits.stackValues * 4)
      publisher(count: traits.stackValues).subscribe(probe)
      var before = -1
      while probe.record.values > before, !probe.record.isOver {
        before = probe.record.values
        scheduler.advance(by: .seconds(1))
      }
      let record = probe.record
      let due = first ?? record.values
      log.expect(
        .constantStack, record.growth <= StackProbe<Output, Failure>.limit,
        "a stack of constant depth when \(words(mode))",
        seen: "\(record.growth) bytes more after \(record.values) values")
      log.expect(
        .demandAddsUp, traits.isLossy || record.values == due,
        "\(due) values when \(words(mode))", seen: "\(record.values)")
      first = due
      probe.cancel()
    }
  }

  private func words(_ mode: StackProbe<Output, Failure>.Mode) -> String {
    switch mode {
    case .everything: "everything was requested at once"
    case .returned: "each value returned a demand for one more"
    case .requested: "each value requested one more from inside"
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
        seen: "it is still held, although only the subscription can hold it")
      log.expect(
        .release, rig.isReleased, "closures are freed after \(words)",
        seen: "they are still held, although only the subscription can hold them")
      withExtendedLifetime(keeper) {}
    }
  }

  /// A separate function, so that nothing of it is left on the stack afterwards.
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
      let due = each ?? calls
      log.expect(
        .laziness, calls == due, "\(due) calls of its closures for each subscription",
        seen: "\(calls) for subscription \(number)")
      each = due
    }
  }
}
