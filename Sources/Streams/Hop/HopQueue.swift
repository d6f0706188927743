/// A subscriber that takes signals on one context and delivers them on another, without a lock in
/// between.
///
/// The thread that counts the first signal schedules a job. The job delivers the signals that are
/// counted when it begins, and schedules the next job if more have arrived. A cancel releases the
/// waiting signals, or leaves that to the job that is delivering.
@usableFromInline final class HopQueue<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let mark = LeakMark("hopQueue")
  @usableFromInline let context: SubscriptionContext
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let trampoline = Trampoline()
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let word = HopWord()

  // `nonisolated(unsafe)` is correct: signals come one at a time (contract C-1), and only signals
  // add.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var inlet: HopInlet<Input>

  // `nonisolated(unsafe)` is correct: jobs run one at a time and access these only while the word
  // allows it. After the stream is over, the thread that ended it accesses them if no job does, and
  // the last job otherwise. The end is written before it is counted.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var outlet: HopOutlet<Input>
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe)
    var end: Subscribers.Completion<Failure>?
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var downstream: Downstream?

  @inlinable init(downstream: Downstream, scheduler: any Scheduler) {
    let block = HopBlock<Input>(capacity: 4)
    context = downstream.context
    inlet = HopInlet(block)
    outlet = HopOutlet(block)
    self.downstream = downstream
    self.scheduler = scheduler
  }

  @inlinable deinit {
    let left = word.close()
    if !left.isOver { release(left) }
  }

  @inlinable func receive(subscription: any Subscription) {
    guard gate.admit(subscription, for: Self.self) else { return }
    downstream?.receive(
      subscription: ClosureSubscription { [self] command in
        switch command {
        case .request(let demand): gate.current?.request(demand)
        case .cancel: cancel()
        }
      })
  }

  @inlinable func receive(_ input: Input) -> Subscribers.Demand {
    guard gate.admitsValue(for: Self.self) else { return .none }
    inlet.append(input)
    let before = word.add(HopWord.Reading.value)
    if before.isOver {
      _ = inlet.removeLast()
    } else if before.isIdle {
      schedule()
    }
    return .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    end = completion
    let before = word.add(HopWord.Reading.end)
    if before.isOver {
      end = nil
    } else if before.isIdle {
      schedule()
    }
  }

  /// Schedules one job for a batch.
  ///
  /// The trampoline handles a scheduler that runs jobs at once, or two at a time.
  @inlinable func schedule() {
    scheduler.schedule { self.trampoline.run(self.deliverBatch) }
  }

  @inlinable func deliverBatch() {
    let batch = word.begin()
    guard !batch.isOver, let downstream else { return }
    let delivered = deliver(batch.values, to: downstream)
    if batch.hasEnd, delivered == batch.values {
      let wasCancelled = word.close().isOver
      let end = end.take()
      self.downstream = nil
      if let end, !wasCancelled { downstream.receive(completion: end) }
      return
    }
    let left = word.stop(after: delivered)
    if left.isOver {
      release(left)
    } else if !left.isIdle {
      // A separate job leaves room for other work between two batches.
      schedule()
    }
  }

  /// Delivers a number of values, or fewer if a cancel comes.
  ///
  /// - Returns: The number of delivered values.
  @inlinable func deliver(_ count: Int, to downstream: Downstream) -> Int {
    // A local copy, because the property lies beside memory that the other side writes for each
    // value.
    var outlet = outlet
    defer { self.outlet = outlet }
    for index in 0..<count {
      if gate.isCancelled { return index }
      let more = downstream.receive(outlet.removeFirst())
      if more > .none { gate.current?.request(more) }
    }
    return count
  }

  @inlinable func cancel() {
    gate.cancel()
    let left = word.close()
    if !left.isOver, !left.isDelivering { release(left) }
  }

  /// Releases all signals that will not be delivered.
  @inlinable func release(_ left: HopWord.Reading) {
    let released = downstream.take()
    withExtendedLifetime(released) {}
    if left.hasEnd { end = nil }
    for _ in 0..<left.values { _ = outlet.removeFirst() }
  }
}
