import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Answers each request at once, with an empty 200 if a test says nothing else, and remembers it.
package final class AnsweringTransport: Transport {
  private let answer: @Sendable (URLRequest) throws -> RESTResponse
  private let asked = Lock<[URLRequest]>([])
  private let road: TransportIdentity?

  /// - Parameter road: The identity; nil for that of the object.
  package init(
    over road: TransportIdentity? = nil,
    _ answer: @escaping @Sendable (URLRequest) throws -> RESTResponse = { try RESTResponse(to: $0) }
  ) {
    self.road = road
    self.answer = answer
  }

  package var identity: TransportIdentity { road ?? TransportIdentity(of: self) }

  /// One that takes one bearer token, and answers 401 to all others.
  package convenience init(taking token: String) {
    self.init {
      let isTaken = $0.value(forHTTPHeaderField: "Authorization") == "Bearer \(token)"
      return try RESTResponse(to: $0, status: isTaken ? 200 : 401)
    }
  }

  package var requests: [URLRequest] { asked.withLock { $0 } }

  package func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Deferred { [self] in
      asked.withLock { $0.append(request) }
      return Result<RESTResponse, any Error> { try answer(request) }.publisher
    }
    .eraseToAnyPublisher()
  }
}

extension RESTResponse {
  /// The response to a request.
  package init(
    to request: URLRequest, status: Int = 200, headers: HTTPHeaders = [:], data: Data = Data(),
    metrics: ExchangeMetrics? = nil
  ) throws {
    guard let url = request.url else { throw TestFailure(name: "no URL") }
    self.init(
      head: ResponseHead(url: url, statusCode: status, headers: headers), data: data,
      request: RequestSummary(request), metrics: metrics)
  }
}
