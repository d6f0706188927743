import Dispatch
import Foundation
import HTTPTypes
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A transport that sends requests with a client that uses swift-http-types: one asynchronous
/// function.
///
/// ```swift
/// let transport = HTTPTypesTransport { request, body in
///   try await client.send(request, body: body)
/// }
/// ```
///
/// The function runs once for each exchange, with a valid request. It makes one exchange with the
/// server: it follows no redirect, stores no cookie and answers no challenge. It returns a response
/// of any status when the head has arrived. It returns the body as chunks, with the content coding
/// removed. The call fails with the error that the function throws. Throw a `TransportError` for a
/// fault of the network, which becomes a `RESTError`. Other errors are passed on unchanged.
///
/// A chunk of the response is requested when the subscriber demands it. A chunk of the request's
/// body counts as sent when the function requests the next one. The function's task is canceled
/// when the call is canceled, when its time is over, or when a limit is exceeded. The call then
/// ends, even if the function continues.
///
/// Each subscription has its own queue for its values: a subscriber that blocks delays no other
/// call, as long as fewer than about 250 queues of the process are blocked.
public final class HTTPTypesTransport: Transport {
  /// A client function, from a request and its optional body to a response and its optional body.
  public typealias Client =
    @Sendable (HTTPRequest, HTTPMessageBody?) async throws -> (HTTPResponse, HTTPMessageBody?)

  public let limits: TransportLimits

  private let client: Client
  private let whole: ClosureTransport

  /// - Parameters:
  ///   - limits: The limits on a response.
  ///   - client: The function that makes one exchange, in its own task.
  public init(limits: TransportLimits = TransportLimits(), client: @escaping Client) {
    self.limits = limits
    self.client = client
    whole = ClosureTransport(limits: limits) { request in
      try await ClientExchange(client: client, request: request, limits: limits).response()
    }
  }

  public func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    whole.response(for: request)
  }

  public func events(
    for request: URLRequest, body: RequestBody?
  ) -> AnyPublisher<TransferEvent, any Error> {
    Deferred { [client, limits] in
      // A serial queue gets a thread at once. Swift's tasks have only as many threads as
      // processors.
      let queue = DispatchQueue(label: "RESTKit.HTTPTypesTransport")
      let clock = SilenceClock(seconds: request.timeoutInterval, on: queue)
      let exchange = ClientExchange(
        client: client, request: request, limits: limits, pieces: .init(body: body, clock: clock))
      return SilenceLimit(upstream: exchange.publisher, clock: clock) {
        RESTError(
          TransportError(
            kind: .timedOut, detail: "after \(request.timeoutInterval) s of silence",
            mayHaveBeenProcessed: true),
          request: RequestSummary(request))
      }
      .receive(on: queue)
    }
    .eraseToAnyPublisher()
  }
}
