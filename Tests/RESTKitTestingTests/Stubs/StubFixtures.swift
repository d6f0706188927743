import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

let base = "https://api.example.com/v1"

/// A failure of a test's own.
struct TestFailure: Error, Equatable, CustomStringConvertible {
  var description = "test failure"
}

extension Transport {
  /// Subscribes to the response to a request and records it.
  func subscriber(
    _ path: String, method: HTTPMethod = .get, body: Data? = nil
  ) throws -> TestSubscriber<RESTResponse, any Error> {
    var request = URLRequest(url: try #require(URL(string: base + path)))
    request.httpMethod = method.rawValue
    request.httpBody = body
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    response(for: request).receive(subscriber: subscriber)
    return subscriber
  }

  /// Subscribes to the response to a request in pieces and records them.
  ///
  /// - Parameter limit: The request's time, in seconds.
  func pieces(
    _ path: String, method: HTTPMethod = .get, limit: TimeInterval = 60,
    demand: Subscribers.Demand = .unlimited
  ) throws -> TestSubscriber<TransferEvent, any Error> {
    var request = URLRequest(url: try #require(URL(string: base + path)))
    request.httpMethod = method.rawValue
    request.timeoutInterval = limit
    let subscriber = TestSubscriber<TransferEvent, any Error>(demand: demand)
    events(for: request).receive(subscriber: subscriber)
    return subscriber
  }

  /// The body of the response to a request; its failure is thrown.
  @discardableResult
  func text(_ path: String, method: HTTPMethod = .get, body: Data? = nil) throws -> String {
    let subscriber = try subscriber(path, method: method, body: body)
    if let failure = subscriber.failure { throw failure }
    return String(decoding: try #require(subscriber.values.first).data, as: UTF8.self)
  }
}

extension StubRequest {
  static func get(_ path: String) -> StubRequest {
    StubRequest(.get, urlString: base + path)
  }
}

extension StubAPIResponse {
  /// A script whose first response is a text.
  static func text(_ text: String, for path: String) -> StubAPIResponse {
    StubAPIResponse(request: .get(path), result: .json(text))
  }

  func then(_ text: String, for path: String) -> StubAPIResponse {
    thenRespondWith(request: .get(path), result: .json(text))
  }
}

extension TransferEvent {
  /// Such as `sent 3`, `head 200` or a chunk's text.
  var text: String {
    switch self {
    case .sent(let progress): "sent \(progress.completedBytes)"
    case .head(let head): "head \(head.statusCode)"
    case .chunk(let chunk): String(decoding: chunk, as: UTF8.self)
    }
  }
}

extension TestSubscriber<TransferEvent, any Error> {
  /// The values received so far.
  var texts: [String] { values.map(\.text) }

  /// Whether all values had demand and arrived one at a time.
  var keepsContract: Bool { unaskedCount == 0 && overlaps == 0 && completions.count <= 1 }

  /// The transport's fault, if the call failed with one.
  var fault: TransportError? { (failure as? RESTError)?.underlyingError as? TransportError }
}

extension Transport {
  /// Returns the body of the response to a request.
  func body(
    of request: URLRequest, isInPieces: Bool, sending body: RequestBody? = nil
  ) async throws -> Data {
    guard isInPieces else { return try await response(for: request).value.data }
    var data = Data()
    for try await event in events(for: request, body: body).values {
      if case .chunk(let chunk) = event { data.append(chunk) }
    }
    return data
  }

  /// Returns the failure of an exchange; nil for a response.
  func failure(
    of request: URLRequest, isInPieces: Bool, sending body: RequestBody? = nil
  ) async -> RESTError? {
    do {
      _ = try await self.body(of: request, isInPieces: isInPieces, sending: body)
      return nil
    } catch {
      return error as? RESTError
    }
  }
}
