/// Takes signals on one context and delivers them on another, without a lock between the two.
///
/// Who counts the first signal schedules a job. The job delivers what is counted when it begins, and
/// schedules the next if more came meanwhile. Who cancels releases what waits, or leaves that to the
/// job that is delivering.
@usableFromInline final class HopQueue<Downstream: Subscriber>: Subscriber {
  @usableFromInline typealias Input = Downstream.Input
  @usableFromInline typealias Failure = Downstream.Failure

  @usableFromInline let mark = LiveMark(.hopQueue)
  @usableFromInline let context: SubscriptionContext
  @usableFromInline let gate = UpstreamGate()
  @usableFromInline let trampoline = Trampoline()
  @usableFromInline let scheduler: any Scheduler
  @usableFromInline let word = HopWord()

  // Unsafe is right: signals come one at a time (contract C-1), and nothing but signals puts in.
  @exclusivity(unchecked) @usableFromInline nonisolated(unsafe) var inlet: HopInlet<Input>

  // Unsafe is right: jobs run one at a time and touch these only while the word says so; who makes it
  // over touches them if no job does, and the last job if one did. The end is written before it is
  // counted.
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

  /// One job for a batch.
  ///
  /// A scheduler that runs jobs at once, or two at a time, finds the trampoline.
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
      // Another job, to leave room for others between two batches.
      schedule()
    }
  }

  /// Delivers so many values, fewer if a cancel comes.
  ///
  /// - Returns: How many.
  @inlinable func deliver(_ count: Int, to downstream: Downstream) -> Int {
    // A local copy: the one here is beside what the other side writes for each value.
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

  /// Lets go of all that will not be delivered.
  @inlinable func release(_ left: HopWord.Reading) {
    let released = downstream.take()
    withExtendedLifetime(released) {}
    if left.hasEnd { end = nil }
    for _ in 0..<left.values { _ = outlet.removeFirst() }
  }
}
