/// Runs that subscribers share by key, for `share(replay:)` and ``SingleFlight``.
///
/// A key's `==` and `hash` run under the lock. No other user code does.
@usableFromInline
final class SharedRuns<Key: Hashable & Sendable, Output: Sendable, Failure: Error>: Sendable {
  /// One subscription to the source, shared by several subscribers.
  @usableFromInline final class Run: Sendable {
    @usableFromInline let mark = LeakMark("sharedRun")
    @usableFromInline let gate = UpstreamGate()
    @usableFromInline let subject: ReplaySubject<Output, Failure>

    @usableFromInline init(replay: Int) {
      subject = ReplaySubject(bufferSize: replay)
    }
  }

  @usableFromInline struct Entry: Sendable {
    @usableFromInline let run: Run
    @usableFromInline var subscribers = 1
    @usableFromInline var hasEnded = false
    /// The number of arrivals and ends.
    ///
    /// A timer that was set before the last of them has no effect.
    @usableFromInline var change = 0
    @usableFromInline var timer: (any Cancellable)?

    @inlinable init(run: Run) {
      self.run = run
    }
  }

  @usableFromInline let replay: Int
  @usableFromInline let onFinish: Publishers.ShareReset
  @usableFromInline let onFailure: Publishers.ShareReset
  @usableFromInline let onEmpty: Publishers.ShareReset
  @usableFromInline let state = Lock<[Key: Entry]>([:])

  @usableFromInline init(
    replay: Int, onFinish: Publishers.ShareReset, onFailure: Publishers.ShareReset,
    onEmpty: Publishers.ShareReset
  ) {
    self.replay = replay
    self.onFinish = onFinish
    self.onFailure = onFailure
    self.onEmpty = onEmpty
  }

  /// Joins the run of a key, or starts one.
  ///
  /// - Parameter start: A closure that subscribes the feed to the source of the run.
  @inlinable func join<Downstream: Subscriber>(
    _ key: Key, _ subscriber: Downstream,
    start: (SubjectFeed<ReplaySubject<Output, Failure>>) -> Void
  ) where Downstream.Input == Output, Downstream.Failure == Failure {
    let new = Run(replay: replay)
    let (run, timer) = state.withLock { entries in
      guard var entry = entries[key] else {
        entries[key] = Entry(run: new)
        return (new, nil as (any Cancellable)?)
      }
      // A late subscriber does not keep a run that has ended from being forgotten in time.
      guard !entry.hasEnded else { return (entry.run, nil) }
      entry.subscribers += 1
      entry.change += 1
      let timer = entry.timer.take()
      entries[key] = entry
      return (entry.run, timer)
    }
    timer?.cancel()
    run.subject.receive(
      subscriber: RunSubscriber(downstream: subscriber) { [self] in leave(run, of: key) })
    guard run === new, !run.gate.isCancelled else { return }
    start(
      SubjectFeed(gate: run.gate, subject: run.subject) { [self] completion in
        end(run, of: key, with: completion)
      })
  }

  @usableFromInline func leave(_ run: Run, of key: Key) {
    let change: Int? = state.withLock { entries in
      guard var entry = entries[key], entry.run === run, !entry.hasEnded else { return nil }
      entry.subscribers -= 1
      entries[key] = entry
      return entry.subscribers == 0 ? entry.change : nil
    }
    if let change { reset(run, of: key, change: change, by: onEmpty) }
  }

  @usableFromInline
  func end(_ run: Run, of key: Key, with completion: Subscribers.Completion<Failure>) {
    let (change, timer): (Int?, (any Cancellable)?) = state.withLock { entries in
      guard var entry = entries[key], entry.run === run else { return (nil, nil) }
      entry.hasEnded = true
      entry.change += 1
      let timer = entry.timer.take()
      entries[key] = entry
      return (entry.change, timer)
    }
    timer?.cancel()
    guard let change else { return }
    switch completion {
    case .finished: reset(run, of: key, change: change, by: onFinish)
    case .failure: reset(run, of: key, change: change, by: onFailure)
    }
  }

  private func reset(_ run: Run, of key: Key, change: Int, by rule: Publishers.ShareReset) {
    switch rule {
    case .never:
      break
    case .atOnce:
      forget(run, of: key, change: change)
    case .after(let duration, let scheduler):
      let timer = scheduler.schedule(after: duration) { [weak self] in
        self?.forget(run, of: key, change: change)
      }
      let isHeld = state.withLock { entries in
        guard entries[key]?.run === run, entries[key]?.change == change else { return false }
        entries[key]?.timer = timer
        return true
      }
      if !isHeld { timer.cancel() }
    }
  }

  /// Forgets a run, unless a subscriber arrived or the run ended meanwhile.
  ///
  /// A run that has not ended is cancelled.
  private func forget(_ run: Run, of key: Key, change: Int) {
    // The stored key is taken out, too. It may be another object that equals this one.
    let forgotten = state.withLock { entries -> (key: Key, entry: Entry)? in
      guard
        let index = entries.index(forKey: key), entries[index].value.run === run,
        entries[index].value.change == change
      else { return nil }
      let (key, entry) = entries.remove(at: index)
      return (key, entry)
    }
    guard let forgotten else { return }
    if !forgotten.entry.hasEnded { run.gate.cancel() }
  }
}

/// A subscriber to a shared run, which reports when it leaves before the end.
@frozen @usableFromInline struct RunSubscriber<Downstream: Subscriber>: Subscriber {
  @usableFromInline let downstream: Downstream
  @usableFromInline let watch: SubscriptionWatch

  @inlinable init(downstream: Downstream, willLeave: @escaping @Sendable () -> Void) {
    self.downstream = downstream
    watch = SubscriptionWatch { command in
      if case .cancel = command { willLeave() }
    }
  }

  @inlinable var context: SubscriptionContext { downstream.context }

  @inlinable func receive(subscription: any Subscription) {
    guard watch.gate.admit(subscription, for: Self.self) else { return }
    downstream.receive(subscription: ClosureSubscription { [watch] in watch.perform($0) })
  }

  @inlinable func receive(_ input: Downstream.Input) -> Subscribers.Demand {
    watch.gate.admitsValue(for: Self.self) ? downstream.receive(input) : .none
  }

  @inlinable func receive(completion: Subscribers.Completion<Downstream.Failure>) {
    if watch.finish(for: Self.self) { downstream.receive(completion: completion) }
  }
}

extension Publishers {
  /// The time at which a shared connection is forgotten after an event, so that the next subscriber
  /// connects again.
  public enum ShareReset: Sendable {
    /// Never: the connection, with its replay, remains for later subscribers.
    case never
    /// At once.
    case atOnce
    /// After a time to live, measured by a scheduler.
    case after(Duration, scheduler: any Scheduler)
  }
}
