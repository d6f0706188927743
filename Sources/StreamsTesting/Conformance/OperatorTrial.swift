import Streams

/// One provocation of an operator, between an upstream of the kit and a probe.
struct OperatorTrial<Output: Sendable, Failure: Error>: Sendable {
  typealias Probe = ConformanceProbe<Output, Failure>
  typealias Upstream = AnyPublisher<Int, ConformanceError>

  let attach: @Sendable (Upstream, ConformanceRig) -> AnyPublisher<Output, Failure>
  let traits: ConformanceTraits
  let log: ConformanceLog

  /// The operator on a correct source, as any other publisher.
  var asPublisher: Trial<Output, Failure> {
    Trial(
      make: { [attach] rig in
        attach(
          rig.values.publisher.setFailureType(to: ConformanceError.self).eraseToAnyPublisher(), rig)
      },
      traits: traits, log: log, leastCount: 0)
  }

  struct Setup: Sendable {
    let upstream: PlayedUpstream
    let probe: Probe
    let trial: Trial<Output, Failure>

    func settle(until isThere: (Probe.Record) -> Bool = { _ in true }) {
      trial.settle(probe, until: isThere)
    }

    /// Whether the operator has subscribed, has not ended, and has not cancelled the upstream.
    var isRunning: Bool {
      let lines = upstream.lines
      return !lines.isEmpty && lines.allSatisfy { $0.cancels == 0 } && probe.record.end == nil
    }

    /// Cancels the probe.
    ///
    /// Work on another thread may have one value in flight (C-4).
    func cancel() {
      probe.cancel(allowing: trial.traits.isAsynchronous ? 1 : 0)
    }

    /// Sends values until all are sent or the stream has ended.
    func send(_ values: ClosedRange<Int>) {
      for value in values where probe.record.end == nil {
        upstream.send(value)
        settle()
      }
    }
  }

  func setUp(
    demand: Subscribers.Demand = .unlimited, isForgetful: Bool = true,
    demandRule: ConformanceRule? = .demand, keeper: SubscriptionKeeper = SubscriptionKeeper(),
    onTouch: @escaping @Sendable () -> Void = {},
    onCancel: @escaping @Sendable () -> Void = {}
  ) -> Setup {
    let trial = asPublisher
    let upstream = PlayedUpstream(isForgetful: isForgetful, onCancel: onCancel)
    let rig = ConformanceRig(count: 10, scheduler: trial.scheduler, onTouch: onTouch)
    let probe = Probe(log, keeper: keeper, demandRule: demandRule, demand: demand)
    attach(upstream.eraseToAnyPublisher(), rig).subscribe(probe)
    trial.settle(probe)
    return Setup(upstream: upstream, probe: probe, trial: trial)
  }
}

extension OperatorTrial {
  static var scenarios: [(String, @Sendable (OperatorTrial) -> Void)] {
    [
      ("the downstream requests 2, then 3, then everything", { $0.demand() }),
      ("the downstream requests none", { $0.nothingAsked() }),
      ("a hundred values pass", { $0.cost() }),
      ("the downstream has a context", { $0.context() }),
      ("the downstream cancels three times", { $0.cancels() }),
      ("four threads cancel", { $0.cancelRace() }),
      ("a closure cancels while it works on the upstream's signal", { $0.cancelInClosure() }),
      ("the upstream cancels when it is cancelled", { $0.cancelInCancel() }),
      ("the upstream never ends", { $0.earlyEnd() }),
      ("request and cancel are called after the upstream's end", { $0.callsAfterEnd() }),
      ("the upstream fails", { $0.failure() }),
      ("the upstream fails when it is subscribed", { $0.failureAtOnce() }),
      ("the upstream ends, and only the downstream's subscription is kept", { $0.releases() }),
      ("the operator is made and not subscribed", { $0.idle() }),
      ("the upstream sends a second subscription", { $0.secondSubscription() }),
      ("the upstream sends a value after its end", { $0.valueAfterEnd() }),
      ("the upstream ends twice", { $0.secondEnd() }),
      ("the upstream sends a value before its subscription", { $0.beforeSubscription() }),
      ("the upstream sends more than requested", { $0.excess() }),
      ("the upstream continues after a cancel", { $0.strayAfterCancel() }),
      ("several subscribers arrive at once", { $0.sharing() }),
    ]
  }
}
