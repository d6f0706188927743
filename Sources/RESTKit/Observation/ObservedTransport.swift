import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that tells of each exchange when it is over.
///
/// It sees what is really sent: every attempt, every redirect and every refresh on its own.
public struct ObservedTransport: Transport {
  private let transport: any Transport
  private let clock: any Scheduler
  private let observe: @Sendable (Exchange) -> Void

  /// - Parameters:
  ///   - transport: What carries the requests.
  ///   - clock: What times them.
  ///   - observe: Runs after each exchange that was not cancelled, before its result is delivered
  ///     and on the same thread.
  public init(
    _ transport: any Transport, clock: any Scheduler = .mainActor,
    observe: @escaping @Sendable (Exchange) -> Void
  ) {
    self.transport = transport
    self.clock = clock
    self.observe = observe
  }

  public var limits: TransportLimits { transport.limits }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Deferred { [self] in
      let tell = teller(of: request)
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
    Deferred { [self] in
      let tell = teller(of: request)
      let status = Lock(0)
      return transport.events(for: request, body: body).handleEvents(
        receiveOutput: { event in
          if case .head(let head) = event { status.withLock { $0 = head.statusCode } }
        },
        receiveCompletion: { completion in
          switch completion {
          case .finished: tell(.success(status.withLock { $0 }), nil)
          case .failure(let error): tell(.failure(error), nil)
          }
        })
    }
    .eraseToAnyPublisher()
  }

  private func teller(
    of request: URLRequest
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
