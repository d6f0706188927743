import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that holds its responses back until a test gives them.
package final class HeldTransport: Transport {
  private typealias Resolve = @Sendable (Result<RESTResponse, any Error>) -> Void

  private struct Held: Sendable {
    let request: URLRequest
    var resolve: Resolve?
    var isCancelled = false
  }

  private let onRequest: @Sendable (HeldTransport, Int) -> Void
  private let onCancel: @Sendable (Int) -> Void
  private let held = Lock<[Held]>([])

  /// - Parameters:
  ///   - onRequest: Runs for each request, with its place from 0, when it can be answered.
  ///   - onCancel: Runs for each exchange that is cancelled.
  package init(
    onRequest: @escaping @Sendable (HeldTransport, Int) -> Void = { _, _ in },
    onCancel: @escaping @Sendable (Int) -> Void = { _ in }
  ) {
    self.onRequest = onRequest
    self.onCancel = onCancel
  }

  package var requests: [URLRequest] { held.withLock { $0.map(\.request) } }

  /// The paths of what was sent, in order.
  package var paths: [String] { requests.map { $0.url?.path ?? "" } }

  /// The places of those that have no response and were not cancelled.
  package var open: [Int] {
    held.withLock { held in held.indices.filter { held[$0].resolve != nil } }
  }

  package var cancelCount: Int { held.withLock { $0.count { $0.isCancelled } } }

  package func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Single { [self] resolve in
      let place = held.withLock { held in
        held.append(Held(request: request, resolve: { resolve($0) }))
        return held.count - 1
      }
      onRequest(self, place)
      return AnyCancellable { [self] in
        let released = held.withLock { held -> Resolve? in
          guard let resolve = held[place].resolve.take() else { return nil }
          held[place].isCancelled = true
          return resolve
        }
        if released != nil { onCancel(place) }
      }
    }
    .eraseToAnyPublisher()
  }

  /// Gives a response, whose body says by default which exchange it is of; nothing where there is
  /// no such exchange any more.
  package func answer(
    _ place: Int, _ status: Int = 200, headers: HTTPHeaders = [:], body: String? = nil,
    metrics: ExchangeMetrics? = nil
  ) {
    guard let (request, resolve) = take(place), let url = request.url else { return }
    resolve(
      .success(
        RESTResponse(
          head: ResponseHead(url: url, statusCode: status, headers: headers),
          data: Data((body ?? "\(place)").utf8), request: RequestSummary(request),
          metrics: metrics)))
  }

  /// Answers all that wait.
  package func answerAll() {
    for place in open { answer(place) }
  }

  package func fail(_ place: Int, _ kind: TransportError.Kind = .connectionReset) {
    guard let (request, resolve) = take(place) else { return }
    let fault = TransportError(kind: kind, mayHaveBeenProcessed: true)
    resolve(.failure(RESTError(fault, request: RequestSummary(request))))
  }

  private func take(_ place: Int) -> (URLRequest, Resolve)? {
    held.withLock { held in
      guard held.indices.contains(place), let resolve = held[place].resolve.take() else {
        return nil
      }
      return (held[place].request, resolve)
    }
  }
}
