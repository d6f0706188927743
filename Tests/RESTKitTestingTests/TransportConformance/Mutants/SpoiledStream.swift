import Streams

/// The one thing that a subscription does otherwise.
struct Spoiling<Value: Sendable>: Sendable {
  typealias Line = SpoiledLine<Value>

  var value: @Sendable (Line, Value) -> Subscribers.Demand = { $0.send($1) }
  var end: @Sendable (Line, Subscribers.Completion<any Error>) -> Void = { $0.end($1) }
  var request: @Sendable (Line, Subscribers.Demand) -> Void = { $0.ask($1) }
  var cancel: @Sendable (Line) -> Void = { $0.leave() }
}

/// A publisher that passes signals and calls on, but for the spoiling.
struct SpoiledStream<Value: Sendable>: Publisher {
  typealias Output = Value
  typealias Failure = any Error

  let upstream: AnyPublisher<Value, any Error>
  let spoiling: Spoiling<Value>

  func receive(subscriber: some Subscriber<Value, any Error>) {
    upstream.receive(subscriber: SpoiledLine(AnySubscriber(subscriber), spoiling))
  }
}

extension AnyPublisher where Failure == any Error {
  func spoiled(_ spoiling: Spoiling<Output>) -> AnyPublisher<Output, any Error> {
    SpoiledStream(upstream: self, spoiling: spoiling).eraseToAnyPublisher()
  }

  /// Returns a publisher that goes on after a cancel, and delivers nothing more.
  func uncanceled(_ note: @escaping @Sendable () -> Void = {}) -> AnyPublisher<Output, any Error> {
    spoiled(
      Spoiling(
        cancel: { line in
          line.ask(.unlimited)
          line.forget()
          note()
        }))
  }
}

/// One subscription to a spoiled stream.
final class SpoiledLine<Value: Sendable>: Subscriber, Subscription {
  private struct State: Sendable {
    var downstream: AnySubscriber<Value, any Error>?
    var upstream: (any Subscription)?
    var open = Subscribers.Demand.none
    var held: [Value] = []
  }

  private let spoiling: Spoiling<Value>
  private let state: Lock<State>

  init(_ downstream: AnySubscriber<Value, any Error>, _ spoiling: Spoiling<Value>) {
    self.spoiling = spoiling
    state = Lock(State(downstream: downstream))
  }

  /// Whether a value may be sent.
  var isAsked: Bool { state.withLock { $0.open > .none } }

  func send(_ value: Value) -> Subscribers.Demand {
    let downstream = state.withLock { state in
      if state.open > .none { state.open -= 1 }
      return state.downstream
    }
    let more = downstream?.receive(value) ?? .none
    state.withLock { $0.open += more }
    return more
  }

  func end(_ completion: Subscribers.Completion<any Error>) {
    state.withLock { $0.downstream.take() }?.receive(completion: completion)
  }

  func hold(_ value: Value) { state.withLock { $0.held.append(value) } }

  func sendHeld() {
    for value in state.withLock({ state in
      defer { state.held = [] }
      return state.held
    }) {
      _ = send(value)
    }
  }

  func ask(_ demand: Subscribers.Demand) {
    open(demand)
    pull(demand)
  }

  /// Notes demand of the downstream.
  func open(_ demand: Subscribers.Demand) { state.withLock { $0.open += demand } }

  /// Asks the upstream.
  func pull(_ demand: Subscribers.Demand) { state.withLock { $0.upstream }?.request(demand) }

  /// Releases the downstream.
  func forget() {
    let released = state.withLock { $0.downstream.take() }
    withExtendedLifetime(released) {}
  }

  func leave() { state.withLock { $0.upstream }?.cancel() }

  func receive(subscription: any Subscription) {
    let downstream = state.withLock { state in
      state.upstream = subscription
      return state.downstream
    }
    downstream?.receive(subscription: self)
  }

  func receive(_ input: Value) -> Subscribers.Demand { spoiling.value(self, input) }

  func receive(completion: Subscribers.Completion<any Error>) { spoiling.end(self, completion) }

  func request(_ demand: Subscribers.Demand) { spoiling.request(self, demand) }

  func cancel() { spoiling.cancel(self) }
}
