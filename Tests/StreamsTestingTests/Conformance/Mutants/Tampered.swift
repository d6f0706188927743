import Streams
import StreamsTesting

/// The one thing that a wrong publisher, operator or subject does otherwise than the right one.
struct Tampering<Input: Sendable, Failure: Error>: Sendable {
  typealias Line = TamperedLine<Input, Failure>

  var subscription: @Sendable (Line) -> Void = { $0.start() }
  var value: @Sendable (Line, Input) -> Subscribers.Demand = { $0.send($1) }
  var end: @Sendable (Line, Subscribers.Completion<Failure>) -> Void = { $0.end($1) }
  var request: @Sendable (Line, Subscribers.Demand) -> Void = { $0.ask($1) }
  var cancel: @Sendable (Line) -> Void = { line in
    line.leave()
    line.forget()
  }
  var context: @Sendable (SubscriptionContext) -> SubscriptionContext = { $0 }
}

/// Passes signals and calls on, but for the tampering.
struct Tampered<Upstream: Publisher>: Publisher {
  typealias Output = Upstream.Output
  typealias Failure = Upstream.Failure

  let upstream: Upstream
  let tampering: Tampering<Output, Failure>

  init(_ upstream: Upstream, _ tampering: Tampering<Output, Failure> = Tampering()) {
    self.upstream = upstream
    self.tampering = tampering
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    upstream.receive(subscriber: TamperedLine(AnySubscriber(subscriber), tampering))
  }
}

/// One subscription to something tampered with.
final class TamperedLine<Input: Sendable, Failure: Error>: Subscriber, Subscription {
  private struct State: Sendable {
    var downstream: AnySubscriber<Input, Failure>?
    var upstream: (any Subscription)?
    var open = Subscribers.Demand.none
    var inside = 0
    var held: Subscribers.Completion<Failure>?
    var tallies: [String: Int] = [:]
  }

  private let tampering: Tampering<Input, Failure>
  private let state: Lock<State>
  let context: SubscriptionContext

  init(_ downstream: AnySubscriber<Input, Failure>, _ tampering: Tampering<Input, Failure>) {
    self.tampering = tampering
    context = tampering.context(downstream.context)
    state = Lock(State(downstream: downstream))
  }

  /// Whether the downstream is receiving a value.
  var isInside: Bool { state.withLock { $0.inside > 0 } }

  /// Whether a value may be sent.
  var isAsked: Bool { state.withLock { $0.open > .none } }

  /// Counts, and returns how often it has counted this.
  @discardableResult
  func tally(_ name: String) -> Int {
    state.withLock { state in
      state.tallies[name, default: 0] += 1
      return state.tallies[name, default: 0]
    }
  }

  func has(_ name: String) -> Bool { state.withLock { $0.tallies[name] != nil } }

  func start() { state.withLock { $0.downstream }?.receive(subscription: self) }

  func send(_ value: Input) -> Subscribers.Demand {
    let downstream = state.withLock { state in
      state.inside += 1
      state.open -= 1
      return state.downstream
    }
    let more = downstream?.receive(value) ?? .none
    state.withLock { state in
      state.inside -= 1
      state.open += more
    }
    return more
  }

  func end(_ completion: Subscribers.Completion<Failure>, isForgotten: Bool = true) {
    let downstream = state.withLock { isForgotten ? $0.downstream.take() : $0.downstream }
    downstream?.receive(completion: completion)
  }

  /// Keeps an end for ``endIfHeld()``.
  func hold(_ completion: Subscribers.Completion<Failure>) {
    state.withLock { $0.held = completion }
  }

  func endIfHeld() {
    if let completion = state.withLock({ $0.held.take() }) { end(completion) }
  }

  func ask(_ demand: Subscribers.Demand) {
    let upstream = state.withLock { state in
      state.open += demand
      return state.upstream
    }
    upstream?.request(demand)
  }

  /// Releases the downstream.
  func forget() {
    let released = state.withLock { $0.downstream.take() }
    withExtendedLifetime(released) {}
  }

  func leave() { state.withLock { $0.upstream }?.cancel() }

  func receive(subscription: any Subscription) {
    let (isFirst, downstream) = state.withLock { state in
      let isFirst = state.upstream == nil
      if isFirst { state.upstream = subscription }
      return (isFirst, state.downstream)
    }
    if isFirst {
      tampering.subscription(self)
    } else {
      downstream?.receive(subscription: subscription)
    }
  }

  func receive(_ input: Input) -> Subscribers.Demand { tampering.value(self, input) }

  func receive(completion: Subscribers.Completion<Failure>) { tampering.end(self, completion) }

  func request(_ demand: Subscribers.Demand) { tampering.request(self, demand) }

  func cancel() { tampering.cancel(self) }
}

/// A subject whose subscribers get their signals through something tampered with.
final class TamperedSubject: Subject {
  typealias Output = Int
  typealias Failure = ConformanceError

  private let subject = PassthroughSubject<Int, ConformanceError>()
  private let tampering: Tampering<Int, ConformanceError>

  init(tampering: Tampering<Int, ConformanceError> = Tampering()) {
    self.tampering = tampering
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Int, Downstream.Failure == ConformanceError {
    Tampered(subject, tampering).receive(subscriber: subscriber)
  }

  func send(_ value: Int) { subject.send(value) }
  func send(completion: Subscribers.Completion<Failure>) { subject.send(completion: completion) }
  func send(subscription: any Subscription) { subject.send(subscription: subscription) }
}
