import Foundation
import HTTPTypes
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Transport {
  /// Sends a request, and returns its response once the head is there.
  ///
  /// ```swift
  /// let (response, body) = try await transport.execute(request)
  /// let data = try await body.collect()
  /// ```
  ///
  /// Any status is a response, redirects too. The body comes as it is read: 1 chunk is asked for ahead.
  /// Dropping the body, or cancelling the task that waits for it, ends the exchange.
  ///
  /// - Parameters:
  ///   - request: What to send. It is converted as `URLRequest.init(_:)` says.
  ///   - body: What to send as the body; nil for none.
  ///   - timeout: How long the server may be silent: till the head, and between two chunks. Zero is no
  ///     limit.
  /// - Returns: The response, and its body with the content encoding undone, which can be iterated once.
  /// - Throws: ``HTTPTypesError`` for a request that cannot be converted, `RESTError` for one that
  ///   cannot be sent and where no whole response comes, what the body fails with, or
  ///   `CancellationError`.
  public func execute(
    _ request: HTTPRequest, body: HTTPMessageBody? = nil, timeout: Duration = .seconds(60)
  ) async throws -> (HTTPResponse, HTTPMessageBody) {
    var urlRequest = try URLRequest(request)
    urlRequest.timeoutInterval = timeout / .seconds(1)
    var events = events(for: urlRequest, body: body?.requestBody)
      .values(buffering: .prefetch(1)).makeAsyncIterator()
    while let event = try await events.next() {
      guard case .head(let head) = event else { continue }
      return (try HTTPResponse(head), HTTPMessageBody(ReceivedChunks(events: events)))
    }
    // Without a head it ends with the task only.
    throw CancellationError()
  }
}

/// The chunks behind a head; all iterators share them.
private struct ReceivedChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Events = AsyncValues<AnyPublisher<TransferEvent, any Error>>

  var events: Events.Iterator

  func makeAsyncIterator() -> ReceivedChunks { self }

  mutating func next() async throws -> Data? {
    while let event = try await events.next() {
      // An answer may come before all of the request's body went out.
      if case .chunk(let chunk) = event { return chunk }
    }
    // A cancelled task finds the end of the body, wherever that is.
    try Task.checkCancellation()
    return nil
  }
}
