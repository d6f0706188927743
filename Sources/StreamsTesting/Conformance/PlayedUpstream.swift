import Streams

/// An upstream that the kit controls, correctly or not, and that records how it is used.
final class PlayedUpstream: Publisher {
  typealias Output = Int
  typealias Failure = ConformanceError
  typealias Downstream = AnySubscriber<Int, ConformanceError>

  /// The record of one subscription.
  final class Line: Sendable {
    struct State: Sendable {
      var subscriber: Downstream?
      var demand = Subscribers.Demand.none
      var requests = 0
      /// The requests for none, which a publisher that counts requests may take for a violation (RS
      /// 3.9).
      var emptyRequests = 0
      var cancels = 0
      var isOver = false
      /// The requests and cancels since its end, also those from inside of the end.
      var lateCalls = 0
      var connection: WeakReference<Connection>?
    }

    let state = Lock(State())
    /// Whether the subscriber's context is that of the probe below.
    let hasProbesContext: Bool

    init(hasProbesContext: Bool = false) {
      self.hasProbesContext = hasProbesContext
    }

    var demand: Subscribers.Demand { state.withLock { $0.demand } }
    var requests: Int { state.withLock { $0.requests } }
    var emptyRequests: Int { state.withLock { $0.emptyRequests } }
    var cancels: Int { state.withLock { $0.cancels } }
    var isConnectionReleased: Bool { state.withLock { $0.connection?.isReleased != false } }

    var lateCalls: Int { state.withLock { $0.lateCalls } }

    func end() {
      state.withLock { $0.isOver = true }
      forget()
    }

    func forget() {
      let released = state.withLock { $0.subscriber.take() }
      withExtendedLifetime(released) {}
    }
  }

  /// The subscription of the downstream.
  final class Connection: Subscription {
    let line: Line
    private let onCancel: @Sendable () -> Void

    init(_ line: Line, onCancel: @escaping @Sendable () -> Void = {}) {
      self.line = line
      self.onCancel = onCancel
      line.state.withLock { $0.connection = WeakReference(self) }
    }

    func request(_ demand: Subscribers.Demand) {
      line.state.withLock { state in
        state.demand += demand
        if state.isOver { state.lateCalls += 1 }
        if demand > .none { state.requests += 1 } else { state.emptyRequests += 1 }
      }
    }

    func cancel() {
      let isFirst = line.state.withLock { state in
        state.cancels += 1
        if state.isOver { state.lateCalls += 1 }
        return state.cancels == 1
      }
      line.forget()
      if isFirst { onCancel() }
    }
  }

  private let allLines = Lock<[Line]>([])
  private let isForgetful: Bool

  private let onCancel: @Sendable () -> Void

  /// - Parameters:
  ///   - isForgetful: Whether it releases a subscriber after sending it the end, or after its
  ///     cancel, as a correct publisher does.
  ///   - onCancel: A closure that runs when it is cancelled.
  init(isForgetful: Bool = true, onCancel: @escaping @Sendable () -> Void = {}) {
    self.isForgetful = isForgetful
    self.onCancel = onCancel
  }

  var lines: [Line] { allLines.withLock { $0 } }

  func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == ConformanceError {
    let line = Line(hasProbesContext: subscriber.context[ProbeKey.self])
    let downstream = Downstream(subscriber)
    line.state.withLock { $0.subscriber = downstream }
    allLines.withLock { $0.append(line) }
    if !isForgetful { kept.withLock { $0.append(downstream) } }
    downstream.receive(subscription: Connection(line, onCancel: onCancel))
  }

  private let kept = Lock<[Downstream]>([])

  private var subscribers: [Downstream] {
    isForgetful
      ? lines.compactMap { $0.state.withLock { $0.subscriber } } : kept.withLock { $0 }
  }

  /// Sends a value to each subscriber that requested one.
  func send(_ value: Int) {
    for line in lines {
      let subscriber = line.state.withLock { state -> Downstream? in
        guard state.demand > .none else { return nil }
        state.demand -= 1
        return state.subscriber
      }
      guard let more = subscriber?.receive(value) else { continue }
      line.state.withLock { $0.demand += more }
    }
  }

  /// Sends a value to each subscriber, requested or not.
  func force(_ value: Int) {
    for subscriber in subscribers { _ = subscriber.receive(value) }
  }

  func force(_ subscription: any Subscription) {
    for subscriber in subscribers { subscriber.receive(subscription: subscription) }
  }

  func send(completion: Subscribers.Completion<ConformanceError>) {
    let subscribers = subscribers
    for line in lines { line.end() }
    for subscriber in subscribers { subscriber.receive(completion: completion) }
  }
}

/// Returns the violations that a body's own calls cause.
///
/// Violations by other work that runs meanwhile are not included.
func violations(during body: () -> Void) -> [ContractViolation.Rule] {
  let noticed = Noticed()
  let observer = ContractViolation.observe { violation in
    if Noticed.current === noticed { noticed.rules.withLock { $0.append(violation.rule) } }
  }
  Noticed.$current.withValue(noticed, operation: body)
  observer.cancel()
  return noticed.rules.withLock { $0 }
}

private final class Noticed: Sendable {
  @TaskLocal static var current: Noticed?

  let rules = Lock<[ContractViolation.Rule]>([])
}
