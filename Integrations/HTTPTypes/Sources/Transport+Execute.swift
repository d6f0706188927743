import Foundation
import HTTPTypes
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Transport {
  /// Sends a request, and returns its response when the head has arrived.
  ///
  /// ```swift
  /// let (response, body) = try await transport.execute(request)
  /// let data = try await body.collect()
  /// ```
  ///
  /// Any status is a response, including redirects. The body arrives as it is read, with one chunk
  /// prefetched. Dropping the body, or canceling the task that waits for it, ends the exchange.
  ///
  /// - Parameters:
  ///   - request: The request, which `URLRequest.init(_:)` converts.
  ///   - body: The body, or nil for none.
  ///   - timeout: The longest silence of the server, before the head and between two chunks. Zero
  ///     means no limit.
  /// - Returns: The response, and its body with the content coding removed. The body can be
  ///   iterated once.
  /// - Throws: ``HTTPTypesError`` for a request that cannot be converted, `RESTError` for a request
  ///   that cannot be sent and for an incomplete response, the error of the body, or
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
    // The exchange ends without a head only if the task is canceled.
    throw CancellationError()
  }
}

/// The chunks after a head, which all iterators share.
private struct ReceivedChunks: AsyncSequence, AsyncIteratorProtocol, Sendable {
  typealias Events = AsyncValues<AnyPublisher<TransferEvent, any Error>>

  var events: Events.Iterator

  func makeAsyncIterator() -> ReceivedChunks { self }

  mutating func next() async throws -> Data? {
    while let event = try await events.next() {
      // A response may arrive before the whole body of the request was sent.
      if case .chunk(let chunk) = event { return chunk }
    }
    // For a canceled task, the body ends early and without an error.
    try Task.checkCancellation()
    return nil
  }
}
