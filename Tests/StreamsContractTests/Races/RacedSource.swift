import Streams
import StreamsFixtures

/// A publisher that a race plays on one thread, while others ask and cancel: it keeps the contract.
final class RacedSource: Publisher {
  typealias Output = Int
  typealias Failure = TestError

  private final class Line: Subscription {
    struct State {
      var subscriber: AnySubscriber<Int, TestError>?
      var demand = Subscribers.Demand.none
    }

    let state: Lock<State>

    init(_ subscriber: AnySubscriber<Int, TestError>) {
      state = Lock(State(subscriber: subscriber))
    }

    func request(_ demand: Subscribers.Demand) {
      state.withLock { $0.demand += demand }
    }

    func cancel() {
      let released = state.withLock { $0.subscriber.take() }
      withExtendedLifetime(released) {}
    }

    func send(_ value: Int) {
      let subscriber = state.withLock { state -> AnySubscriber<Int, TestError>? in
        guard state.demand > .none else { return nil }
        state.demand -= 1
        return state.subscriber
      }
      guard let more = subscriber?.receive(value), more > .none else { return }
      state.withLock { $0.demand += more }
    }

    func end(_ completion: Subscribers.Completion<TestError>) {
      state.withLock { $0.subscriber.take() }?.receive(completion: completion)
    }
  }

  private struct State {
    var lines: [Line] = []
    var end: Subscribers.Completion<TestError>?
  }

  private let state = Lock(State())

  /// How many subscribers it holds.
  var subscriberCount: Int {
    state.withLock { $0.lines }.reduce(0) { count, line in
      line.state.withLock { $0.subscriber != nil } ? count + 1 : count
    }
  }

  func receive(subscriber: some Subscriber<Int, TestError>) {
    let line = Line(AnySubscriber(subscriber))
    subscriber.receive(subscription: line)
    let end = state.withLock { state in
      if state.end == nil { state.lines.append(line) }
      return state.end
    }
    if let end { line.end(end) }
  }

  func send(_ value: Int) {
    for line in state.withLock({ $0.lines }) { line.send(value) }
  }

  func send(completion: Subscribers.Completion<TestError>) {
    let lines = state.withLock { state in
      if state.end == nil { state.end = completion }
      return exchange(&state.lines, with: [])
    }
    for line in lines { line.end(completion) }
  }
}

/// Runs work on each thread that pumps, also two pieces at a time.
///
/// Its time moves with each pump.
final class PumpedScheduler: Scheduler {
  private struct Job {
    let number: Int
    let due: Duration
    let action: ScheduledAction
  }

  private struct State {
    var now = Duration.zero
    var made = 0
    var jobs: [Job] = []
  }

  private let state = Lock(State())

  var now: Duration { state.withLock { $0.now } }
  var isIdle: Bool { state.withLock { $0.jobs.isEmpty } }

  func schedule(_ action: @escaping @Sendable () -> Void) {
    _ = schedule(after: .zero, action)
  }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    let action = ScheduledAction(action)
    state.withLock { state in
      state.made += 1
      state.jobs.append(
        Job(number: state.made, due: state.now.adding(max(delay, .zero)), action: action))
    }
    return action
  }

  /// Lets a time pass and runs one piece of due work.
  ///
  /// - Returns: Whether there was one.
  @discardableResult
  func pump(after duration: Duration = .milliseconds(1)) -> Bool {
    let job = state.withLock { state -> Job? in
      state.now = state.now.adding(duration)
      guard
        let place = state.jobs.indices.min(by: {
          (state.jobs[$0].due, state.jobs[$0].number) < (state.jobs[$1].due, state.jobs[$1].number)
        }), state.jobs[place].due <= state.now
      else { return nil }
      return state.jobs.remove(at: place)
    }
    job?.action.run()
    return job != nil
  }
}
