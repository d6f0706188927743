import Streams

/// A source that plays a marble diagram, made by ``Marbles``.
///
/// A cold source plays the diagram to each subscriber, from the frame of its subscription on. A
/// value that is due before it is requested waits, and so do all later signals. A hot source plays
/// with the test, with or without subscribers. A subscriber misses a value that it has not
/// requested.
public final class MarblePublisher<Output: Sendable, Failure: Error>: Publisher {
  typealias Step = (delay: Duration, signals: [Signal<Output, Failure>])

  private struct State: Sendable {
    var players: [MarblePlayer<Output, Failure>] = []
    var completion: Subscribers.Completion<Failure>?
    var timers: [any Cancellable] = []
  }

  let scheduler: TestScheduler
  let journal: MarbleJournal
  private let steps: [Step]
  private let isHot: Bool
  private let state = Lock(State())

  init(scheduler: TestScheduler, journal: MarbleJournal, steps: [Step], isHot: Bool) {
    self.scheduler = scheduler
    self.journal = journal
    self.steps = steps
    self.isHot = isHot
  }

  public func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    let player = MarblePlayer(
      AnySubscriber(subscriber), keepsValues: !isHot, scheduler: scheduler, journal: journal)
    journal.add(.subscription, at: scheduler.now)
    subscriber.receive(subscription: player)
    guard isHot else {
      player.play(steps)
      return
    }
    let completion = state.withLock { state in
      if state.completion == nil { state.players.append(player) }
      return state.completion
    }
    if let completion { player.send([.completion(completion)]) }
  }

  /// Starts a hot source, again if it has played in an earlier test.
  ///
  /// - Parameter delay: The time until its first frame.
  func start(after delay: Duration) {
    let timers = steps.map { step in
      scheduler.schedule(after: delay + step.delay) { [self] in
        let players = state.withLock { state in
          if case .completion(let completion) = step.signals.last { state.completion = completion }
          return state.players
        }
        for player in players { player.send(step.signals) }
      }
    }
    let before = state.withLock { state in
      defer {
        state.timers = timers
        state.completion = nil
      }
      return state.timers
    }
    for timer in before { timer.cancel() }
  }
}

/// One subscription to a source.
final class MarblePlayer<Output: Sendable, Failure: Error>: Subscription {
  private struct State: Sendable {
    var subscriber: AnySubscriber<Output, Failure>?
    var demand = Subscribers.Demand.none
    var waiting: [Signal<Output, Failure>] = []
    var timers: [any Cancellable] = []

    /// Returns the next signal to send.
    ///
    /// A missed value is returned without a subscriber, to be released without a lock.
    mutating func next(keepsValues: Bool) -> (
      AnySubscriber<Output, Failure>?, Signal<Output, Failure>
    )? {
      guard let signal = waiting.first, let subscriber else { return nil }
      var recipient: AnySubscriber<Output, Failure>? = subscriber
      if case .completion = signal {
        self.subscriber = nil
      } else if demand > .none {
        demand -= 1
      } else {
        recipient = nil
      }
      guard recipient != nil || !keepsValues else { return nil }
      waiting.removeFirst()
      return (recipient, signal)
    }
  }

  private let keepsValues: Bool
  private let scheduler: TestScheduler
  private let journal: MarbleJournal
  private let state: Lock<State>
  private let sending = Trampoline()

  init(
    _ subscriber: AnySubscriber<Output, Failure>, keepsValues: Bool, scheduler: TestScheduler,
    journal: MarbleJournal
  ) {
    self.keepsValues = keepsValues
    self.scheduler = scheduler
    self.journal = journal
    state = Lock(State(subscriber: subscriber))
  }

  func play(_ steps: [MarblePublisher<Output, Failure>.Step]) {
    for step in steps {
      let timer = scheduler.schedule(after: step.delay) { [self] in send(step.signals) }
      let isOver = state.withLock { state in
        state.timers.append(timer)
        return state.subscriber == nil
      }
      if isOver { timer.cancel() }
    }
  }

  func send(_ signals: [Signal<Output, Failure>]) {
    state.withLock { $0.waiting += signals }
    drain()
  }

  func request(_ demand: Subscribers.Demand) {
    ask(demand)
    drain()
  }

  func cancel() {
    let released: State? = state.withLock { state in
      if state.subscriber == nil { return nil }
      let released = state
      state.subscriber = nil
      state.waiting = []
      state.timers = []
      return released
    }
    guard let released else { return }
    journal.add(.cancel, at: scheduler.now)
    for timer in released.timers { timer.cancel() }
  }

  private func ask(_ demand: Subscribers.Demand) {
    let isOpen = state.withLock { state in
      state.demand += demand
      return state.subscriber != nil
    }
    if isOpen && demand > .none { journal.add(.request(demand), at: scheduler.now) }
  }

  /// Sends the waiting signals, as far as they are requested.
  ///
  /// One caller at a time sends. Its loop also sends the signals that others add.
  private func drain() {
    sending.drain(state, next: { $0.next(keepsValues: keepsValues) }) { subscriber, signal in
      switch signal {
      case .value(let value): if let subscriber { ask(subscriber.receive(value)) }
      case .completion(let completion): subscriber?.receive(completion: completion)
      }
    }
  }
}
