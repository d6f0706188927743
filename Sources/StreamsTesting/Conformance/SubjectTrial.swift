import Streams

/// One provocation of a subject.
struct SubjectTrial<Tested: Subject>: Sendable where Tested.Output == Int {
  typealias Probe = ConformanceProbe<Int, Tested.Failure>

  let make: @Sendable () -> Tested
  let patience: Duration
  let log: ConformanceLog

  static var scenarios: [(String, @Sendable (SubjectTrial) -> Void)] {
    [
      ("values and an end are sent", { $0.signals() }),
      ("the first of three subscribers sends from inside a value", { $0.nestedSends() }),
      ("four threads send", { $0.concurrentSends() }),
      ("1, 1 and 2 values are requested, and more are sent", { $0.demand() }),
      ("a subscriber comes after the end", { $0.lateSubscriber() }),
      ("it ends, and no more is requested", { $0.endWithoutDemand() }),
      ("a subscriber cancels from inside a value", { $0.cancelInside() }),
      ("another thread cancels, requests, subscribes and sends during a value", { $0.elsewhere() }),
      ("every callback sends, subscribes and cancels", { $0.callsFromInside() }),
      ("each value sends the next", { $0.stack() }),
      ("only the subscription is kept", { $0.release() }),
      ("it receives a subscription", { $0.upstream() }),
    ]
  }

  /// Returns the number of values that a subscriber gets before anything is sent, such as a current
  /// value.
  private func greeting(of subject: Tested) -> Int {
    let probe = Probe(ConformanceLog(""))
    subject.subscribe(probe)
    probe.cancel()
    return probe.record.values
  }

  func signals() {
    let subject = make()
    let greeting = greeting(of: subject)
    let probes = (1...2).map { _ in Probe(log) }
    for probe in probes { subject.subscribe(probe) }
    for value in 1...3 { subject.send(value) }
    subject.send(completion: .finished)
    subject.send(4)
    subject.send(completion: .finished)
    for record in probes.map(\.record) {
      log.expect(
        .progress,
        record.texts.dropFirst(greeting) == ["1", "2", "3"] && record.end == "finished",
        "1, 2, 3, finished", seen: "\(record.texts), \(record.endText)")
      log.expect(
        .oneSubscription, record.subscriptions == 1, "one subscription",
        seen: "\(record.subscriptions)")
    }
    log.test(.nothingAfterEnd)
  }

  func nestedSends() {
    let subject = make()
    let calls = CallBudget(5)
    let isArmed = Place<Bool>()
    let first = Probe(log) { _, _ in
      if isArmed.value != nil, calls.take() {
        subject.send(100)
        subject.send(101)
      }
      return .none
    }
    let probes = [first, Probe(log), Probe(log)]
    for probe in probes { subject.subscribe(probe) }
    isArmed.set(true)
    for value in 1...3 { subject.send(value) }
    let texts = probes.map(\.record.texts)
    log.expect(
      .oneOrder, texts.allSatisfy { $0 == texts[0] && $0.contains("3") },
      "the same order at all subscribers", seen: "\(texts)")
    for probe in probes { probe.cancel() }
  }

  func concurrentSends() {
    for _ in 0..<5 {
      let subject = make()
      let probes = (1...3).map { _ in Probe(log) }
      for probe in probes { subject.subscribe(probe) }
      ScenarioThread.race(4) { thread in
        for value in 0..<20 { subject.send(thread * 100 + value) }
      }
      let texts = probes.map(\.record.texts)
      log.expect(
        .oneOrder, texts.allSatisfy { $0 == texts[0] && $0.count >= 80 },
        "80 values in the same order at all subscribers", seen: "\(texts)")
      log.test(.serial)
      for probe in probes { probe.cancel() }
    }
  }

  func demand() {
    let subject = make()
    let probe = Probe(log, demand: .none)
    subject.subscribe(probe)
    var due = 0
    for more in [1, 1, 2] {
      probe.request(.max(more))
      due += more
      for value in 1...3 { subject.send(value) }
      log.expect(
        .demandAddsUp, probe.record.values == due, "\(due) values", seen: "\(probe.record.values)")
    }
    probe.request(.none)
    subject.send(1)
    log.expect(
      .noneIsNothing, probe.record.values == due, "no value after a request for none",
      seen: "\(probe.record.values - due)")
    log.test(.demand)
    probe.request(.max(.max - 1))
    probe.request(.max(.max - 1))
    subject.send(1)
    log.expect(
      .demandSaturates, probe.record.values > due, "more values", seen: "none")
    probe.cancel()
  }

  func lateSubscriber() {
    let subject = make()
    subject.send(completion: .finished)
    let probe = Probe(log, demand: .none)
    subject.subscribe(probe)
    log.expect(
      .endNeedsNoDemand, probe.record.end == "finished", "a subscription, then the end",
      seen: probe.record.endText)
  }

  func endWithoutDemand() {
    let subject = make()
    let greeting = greeting(of: subject)
    let probe = Probe(log, demand: .max(greeting))
    subject.subscribe(probe)
    subject.send(completion: .finished)
    log.expect(
      .endNeedsNoDemand, probe.record.end == "finished", "the end, although no more is requested",
      seen: probe.record.endText)
  }
}
