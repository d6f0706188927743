import Dispatch
import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport with a step of one's own before another transport.
///
/// ``Transport/intercepted(by:)-(InterceptedTransport.Step)`` makes one.
///
/// It is an object with an identity of its own: calls over two of them never share an exchange,
/// even if the transport behind them is the same. So make it once and keep it. A computed property
/// would make another transport for each call, and a `RequestCoalescer` would find no two requests
/// alike.
public final class InterceptedTransport: Transport {
  /// A step that runs at once.
  ///
  /// - Throws: The error that ends the exchange before anything is sent.
  public typealias Step = @Sendable (inout InterceptedExchange) throws -> Void

  /// A step that may wait.
  ///
  /// - Throws: The error that ends the exchange before anything is sent.
  public typealias AsyncStep = @Sendable (inout InterceptedExchange) async throws -> Void

  private enum Kind: Sendable {
    case atOnce(Step)
    case awaited(AsyncStep)
  }

  private let transport: any Transport
  private let kind: Kind

  init(_ transport: any Transport, _ step: @escaping Step) {
    self.transport = transport
    kind = .atOnce(step)
  }

  init(_ transport: any Transport, awaiting step: @escaping AsyncStep) {
    self.transport = transport
    kind = .awaited(step)
  }

  /// An identity of its own.
  public let identity = TransportIdentity()

  public var limits: TransportLimits { transport.limits }

  public var observer: CallObserver? { transport.observer }

  public func noteCacheHit(_ response: RESTResponse, for request: URLRequest) {
    transport.noteCacheHit(response, for: request)
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    intercept(request, body: nil) { [transport] exchange in
      exchange.answer(within: transport.limits, isCollected: true)
        ?? transport.response(for: exchange.request)
    } watch: { response, watch in
      response.watched(by: watch)
    }
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    intercept(request, body: body) { [transport] exchange in
      exchange.answer(within: transport.limits, isCollected: false)?.wholeEvents(sent: nil)
        ?? transport.events(for: exchange.request, body: body)
    } watch: { events, watch in
      events.watched(by: watch)
    }
  }

  /// - Parameters:
  ///   - send: Sends or answers the exchange that the step has left.
  ///   - watch: Reports the signals of the exchange.
  private func intercept<Output: Sendable>(
    _ request: URLRequest, body: RequestBody?,
    send:
      @escaping @Sendable (InterceptedExchange) -> AnyPublisher<Output, any Error>,
    watch:
      @escaping @Sendable (AnyPublisher<Output, any Error>, ExchangeWatch) -> AnyPublisher<
        Output, any Error
      >
  ) -> AnyPublisher<Output, any Error> {
    Deferred { [self] in
      let report = ExchangeWatch()
      var exchange = InterceptedExchange(request, body: body, watch: report)
      switch kind {
      case .atOnce(let step):
        let outputs: AnyPublisher<Output, any Error>
        do {
          try step(&exchange)
          outputs = send(exchange)
        } catch {
          outputs = Fail(error: error.ending(request)).eraseToAnyPublisher()
        }
        return report.isUsed ? watch(outputs, report) : outputs
      case .awaited(let step):
        let wait = InterceptionWait(for: exchange, step: step)
        let outputs = InterceptionWaiting<Output>(wait: wait).append(
          Deferred { send(wait.exchange) })
        return watch(outputs.eraseToAnyPublisher(), report)
      }
    }
    .eraseToAnyPublisher()
  }
}

extension Error {
  /// Returns the failure of an exchange whose step threw this error.
  ///
  /// - Parameter request: The request that a fault of the network names.
  func ending(_ request: URLRequest) -> any Error {
    (self as? TransportError).map { RESTError($0, request: RequestSummary(request)) } ?? self
  }
}

extension InterceptedExchange {
  /// Returns the response of the step; nil if there is none.
  ///
  /// - Parameter isCollected: Whether the limits on whole bodies apply.
  fileprivate func answer(
    within limits: TransportLimits, isCollected: Bool
  ) -> AnyPublisher<RESTResponse, any Error>? {
    guard let response else { return nil }
    let exchange = ClosureExchange(request: request, limits: limits, isCollected: isCollected)
    return Single(exchange.result(of: .success(response))).eraseToAnyPublisher()
  }
}

extension Publisher<RESTResponse, any Error> {
  fileprivate func watched(by watch: ExchangeWatch) -> AnyPublisher<RESTResponse, any Error> {
    handleEvents(
      receiveOutput: { response in
        watch.note(response.head)
        // A subscriber may cancel as soon as it has the response.
        watch.end(.answered(response.head, metrics: response.metrics))
      },
      receiveCompletion: { watch.end(with: $0) }, receiveCancel: { watch.end(.cancelled) }
    ).eraseToAnyPublisher()
  }
}

extension Publisher<TransferEvent, any Error> {
  fileprivate func watched(by watch: ExchangeWatch) -> AnyPublisher<TransferEvent, any Error> {
    onMetrics { watch.note($0) }
      .handleEvents(
        receiveOutput: { if case .head(let head) = $0 { watch.note(head) } },
        receiveCompletion: { watch.end(with: $0) }, receiveCancel: { watch.end(.cancelled) }
      ).eraseToAnyPublisher()
  }
}

/// The wait of an exchange for its step.
private final class InterceptionWait: Subscription {
  typealias End = @Sendable (Subscribers.Completion<any Error>) -> Void

  private struct State: Sendable {
    var exchange: InterceptedExchange
    var task: Task<Void, Never>?
    var isCancelled = false
  }

  private let step: InterceptedTransport.AsyncStep
  private let state: Lock<State>

  init(for exchange: InterceptedExchange, step: @escaping InterceptedTransport.AsyncStep) {
    self.step = step
    state = Lock(State(exchange: exchange))
  }

  /// The exchange, as the step has left it.
  var exchange: InterceptedExchange { state.withLock { $0.exchange } }

  private var isCancelled: Bool { state.withLock { $0.isCancelled } }

  /// - Parameter end: A closure that runs once, when the step has ended; never after a cancel.
  func begin(_ end: @escaping End) {
    guard !isCancelled else { return }
    // A serial queue gets a thread at once; Swift's tasks have only as many threads as there are
    // processors, and a subscriber may block the thread on which its response arrives.
    let queue = DispatchQueue(label: "RESTKit.InterceptedTransport")
    let task = Task {
      let completion = await run()
      queue.async { [self] in
        if !isCancelled { end(completion) }
      }
    }
    let isOver = state.withLock { state in
      if !state.isCancelled { state.task = task }
      return state.isCancelled
    }
    if isOver { task.cancel() }
  }

  private func run() async -> Subscribers.Completion<any Error> {
    let original = exchange
    var changed = original
    do {
      try await step(&changed)
    } catch {
      return .failure(error.ending(original.request))
    }
    let released = state.withLock { [changed] state in
      defer { state.exchange = changed }
      return state.exchange
    }
    // Releasing a user's body may run the user's code.
    withExtendedLifetime(released) {}
    return .finished
  }

  /// Does nothing, since the wait has no values.
  func request(_ demand: Subscribers.Demand) {}

  func cancel() {
    let task = state.withLock { state in
      state.isCancelled = true
      return state.task.take()
    }
    task?.cancel()
  }
}

/// A publisher that finishes without a value when its wait ends.
private struct InterceptionWaiting<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let wait: InterceptionWait

  func receive(subscriber: some Subscriber<Output, Failure>) {
    subscriber.receive(subscription: wait)
    wait.begin { subscriber.receive(completion: $0) }
  }
}
