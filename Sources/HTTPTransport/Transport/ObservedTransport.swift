import Foundation
import HTTPWire
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that reports the exchanges and calls of another transport.
///
/// An exchange is one request that was really sent: each attempt, each redirect and each refresh is
/// a separate one. A call is all the work of one subscription to a verb's pipeline.
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
  ///   - transport: The transport of the requests.
  ///   - clock: The clock of the exchanges, and of the calls that neither a retry nor a session
  ///     times.
  ///   - observe: A closure that runs after each exchange that was not cancelled, before its result
  ///     is delivered and on the same thread; nil to observe only calls.
  public init(
    _ transport: any Transport, clock: any Scheduler = StandardTime.scheduler(),
    observe: (@Sendable (Exchange) -> Void)? = nil
  ) {
    self.transport = transport
    calls = CallObserver(clock: clock, next: transport.observer)
    self.clock = clock
    self.observe = observe
  }

  public var identity: TransportIdentity { transport.identity }

  public var limits: TransportLimits { transport.limits }

  public var observer: CallObserver? { calls }

  /// A publisher of the events and decisions in each call, as they happen.
  ///
  /// Values arrive on the thread of the event, and the call waits for the subscriber. The publisher
  /// never finishes. Nothing is recorded before the first subscription.
  public var callEvents: AnyPublisher<CallEvent, Never> { calls.events }

  /// A publisher of the log of each call, at the end of the call.
  ///
  /// The thread and the cost are the same as for ``callEvents``.
  public var callLogs: AnyPublisher<CallLog, Never> { calls.logs }

  /// Adds an instrument, which begins an object for each call and each exchange from now on.
  ///
  /// The instrument sees the exchanges of a `RESTAPI`'s verbs. Without an instrument, calls have no
  /// additional cost.
  ///
  /// - Parameter instrument: The instrument.
  /// - Returns: A cancellable that removes the instrument when it is cancelled or released. Objects
  ///   that have begun for a call continue to its end.
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
