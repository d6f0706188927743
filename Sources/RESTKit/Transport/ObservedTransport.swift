import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that tells of what goes through it: exchanges and calls.
///
/// An exchange is what is really sent: every attempt, every redirect and every refresh on its own. A
/// call is all that one subscription to a verb's pipeline does.
///
/// ```swift
/// let transport = ObservedTransport(.shared)
/// transport.callEvents.sink { print($0.call, $0) }.store(in: &cancellables)
/// ```
public struct ObservedTransport: Transport {
  private let transport: any Transport
  private let calls: CallObserver
  private let clock: any Scheduler
  private let observe: (@Sendable (Exchange) -> Void)?

  /// - Parameters:
  ///   - transport: What carries the requests.
  ///   - clock: What times them, and the calls, but for those that a retry or a session times.
  ///   - observe: Runs after each exchange that was not cancelled, before its result is delivered
  ///     and on the same thread; nil where only the calls are of interest.
  public init(
    _ transport: any Transport, clock: any Scheduler = .continuous,
    observe: (@Sendable (Exchange) -> Void)? = nil
  ) {
    self.transport = transport
    calls = CallObserver(clock: clock, next: transport.observer)
    self.clock = clock
    self.observe = observe
  }

  public var identity: ObjectIdentifier { ObjectIdentifier(calls) }

  public var limits: TransportLimits { transport.limits }

  public var observer: CallObserver? { calls }

  /// What happens in each call, and what is decided there, as it happens.
  ///
  /// Values arrive on the thread where it happens; what a subscriber does there, the call waits for.
  /// They never end. Until somebody subscribes, nothing is recorded.
  public var callEvents: AnyPublisher<CallEvent, Never> { calls.events }

  /// The log of each call, when it has ended.
  ///
  /// What holds for the thread and the cost is said at ``callEvents``.
  public var callLogs: AnyPublisher<CallLog, Never> { calls.logs }

  /// Has an instrument begin something of its own for each call and each exchange that begins from now on.
  ///
  /// It is told of the exchanges of a `RESTAPI`'s verbs. Without an instrument a call pays nothing for
  /// this.
  ///
  /// - Parameter instrument: What begins and ends it.
  /// - Returns: Ends that when it is cancelled or let go; what has begun for a call goes on to its end.
  public func instrument(with instrument: any CallInstrument) -> AnyCancellable {
    calls.add(instrument)
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    guard let observe else { return transport.response(for: request) }
    return Deferred { [self] in
      let tell = teller(of: request, to: observe)
      return transport.response(for: request).handleEvents(
        receiveOutput: { tell(.success($0.statusCode), $0.metrics) },
        receiveCompletion: { completion in
          if case .failure(let error) = completion { tell(.failure(error), nil) }
        })
    }
    .eraseToAnyPublisher()
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    guard let observe else { return transport.events(for: request, body: body) }
    return Deferred { [self] in
      let tell = teller(of: request, to: observe)
      let status = Lock(0)
      let metrics = Lock(ExchangeMetrics?.none)
      return transport.events(for: request, body: body)
        .onMetrics { measured in metrics.withLock { $0 = measured } }
        .handleEvents(
          receiveOutput: { event in
            if case .head(let head) = event { status.withLock { $0 = head.statusCode } }
          },
          receiveCompletion: { completion in
            switch completion {
            case .finished: tell(.success(status.withLock { $0 }), metrics.withLock { $0 })
            case .failure(let error): tell(.failure(error), nil)
            }
          })
    }
    .eraseToAnyPublisher()
  }

  public func noteCacheHit(_ response: RESTResponse, for request: URLRequest) {
    transport.noteCacheHit(response, for: request)
  }

  private func teller(
    of request: URLRequest, to observe: @escaping @Sendable (Exchange) -> Void
  ) -> @Sendable (Result<Int, any Error>, ExchangeMetrics?) -> Void {
    let start = clock.now
    return { outcome, metrics in
      observe(
        Exchange(
          request: RequestSummary(request), outcome: outcome, duration: clock.now - start,
          metrics: metrics))
    }
  }
}
