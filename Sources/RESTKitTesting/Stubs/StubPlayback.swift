import RESTKit
import Streams

/// A publisher that plays a timeline in the time of a scheduler, and never more than the demand.
///
/// Time passes with or without demand, as on a server. Parts that have arrived wait.
struct StubPlayback: Publisher {
  typealias Output = TransferEvent
  typealias Failure = any Error

  let timeline: StubTimeline
  let scheduler: any Scheduler
  /// The scheduler for an end that never arrives.
  let silence: any Scheduler

  func receive(subscriber: some Subscriber<TransferEvent, any Error>) {
    let subscription = StubPlaybackSubscription(
      timeline, scheduler: scheduler, silence: silence, downstream: AnySubscriber(subscriber))
    subscriber.receive(subscription: subscription)
    subscription.run()
  }
}

/// The subscription of a playback.
///
/// The first thread with a timer or demand does the work for all that arrive meanwhile. So values
/// are delivered one at a time, and a scheduler that runs its work at once causes no deeper call.
private final class StubPlaybackSubscription: Subscription {
  typealias Downstream = AnySubscriber<TransferEvent, any Error>

  /// The work that is done without the lock.
  private enum Step {
    case wait(Duration, isSilence: Bool)
    case event(TransferEvent, Downstream)
    case end(Subscribers.Completion<any Error>, Downstream)
  }

  private struct State {
    /// The subscriber; nil after the end or a cancel.
    var downstream: Downstream?
    var demand = Subscribers.Demand.none
    /// Whether the next part has a timer.
    var isWaiting = false
    var timer: (any Cancellable)?
    /// The number of parts that have arrived, plus one after the end.
    var come = 0
    private var delivered = 0
    private let timeline: StubTimeline

    init(_ timeline: StubTimeline, downstream: Downstream) {
      self.timeline = timeline
      self.downstream = downstream
    }

    /// Returns the next step, which the caller must perform.
    mutating func next() -> Step? {
      guard let downstream else { return nil }
      let count = timeline.parts.count
      while !isWaiting, come <= count {
        let wait = come < count ? timeline.parts[come].wait : timeline.endWait
        guard wait <= .zero else {
          isWaiting = true
          return .wait(wait, isSilence: come == count && timeline.endsInSilence)
        }
        come += 1
      }
      if delivered < min(come, count) {
        guard demand > .none else { return nil }
        demand -= 1
        defer { delivered += 1 }
        return .event(timeline.parts[delivered].event, downstream)
      }
      guard come > count else { return nil }
      self.downstream = nil
      switch timeline.end {
      case .success: return .end(.finished, downstream)
      case .failure(let error): return .end(.failure(error), downstream)
      }
    }
  }

  private let scheduler: any Scheduler
  private let silence: any Scheduler
  private let state: Lock<State>
  private let working = Trampoline()

  init(
    _ timeline: StubTimeline, scheduler: any Scheduler, silence: any Scheduler,
    downstream: Downstream
  ) {
    self.scheduler = scheduler
    self.silence = silence
    state = Lock(State(timeline, downstream: downstream))
  }

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.demand += demand }
    run()
  }

  func cancel() {
    let (timer, downstream) = state.withLock { state in
      (state.timer.take(), state.downstream.take())
    }
    timer?.cancel()
    withExtendedLifetime(downstream) {}
  }

  func run() {
    working.drain(state, next: { $0.next() }) { step in
      switch step {
      case .wait(let time, let isSilence):
        hold((isSilence ? silence : scheduler).schedule(after: time) { [self] in come() })
      case .event(let event, let downstream):
        let demand = downstream.receive(event)
        if demand > .none { state.withLock { $0.demand += demand } }
      case .end(let completion, let downstream):
        downstream.receive(completion: completion)
      }
    }
  }

  /// Records that the next part has arrived.
  private func come() {
    let timer = state.withLock { state in
      state.isWaiting = false
      state.come += 1
      return state.timer.take()
    }
    withExtendedLifetime(timer) {}
    run()
  }

  /// Stores a timer for a cancel, unless it has fired.
  ///
  /// If the cancel came first, cancels the timer.
  private func hold(_ timer: any Cancellable) {
    let isCancelled = state.withLock { state in
      if state.isWaiting, state.downstream != nil { state.timer = timer }
      return state.downstream == nil
    }
    if isCancelled { timer.cancel() }
  }
}
