import Dispatch
import Foundation
import HTTPTypes
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Sends requests with a client that speaks in swift-http-types: one asynchronous function.
///
/// ```swift
/// let transport = HTTPTypesTransport { request, body in
///   try await client.send(request, body: body)
/// }
/// ```
///
/// The function runs once for each exchange, with a request that can be sent. It makes one exchange with
/// the server: it follows no redirect, stores no cookie and answers no challenge. It returns a response
/// of any status when the head is there, and its body as chunks, with the content coding undone. Its
/// errors are those of the call: throw a `TransportError` for a fault of the network, which becomes a
/// `RESTError`; other errors stay as they are.
///
/// A chunk of the response is asked for when more of it is demanded. A chunk of the request's body is
/// counted as sent when the function asks for the next one. The function's task is cancelled when the
/// call is, when its time is over, or when a limit is reached; the call ends then, even where the
/// function goes on.
///
/// Values arrive on a queue of each subscription: a subscriber that blocks delays no other call.
public final class HTTPTypesTransport: Transport {
  /// A client: from a request and its body, if it has one, to the response and its body, if it has one.
  public typealias Client =
    @Sendable (HTTPRequest, HTTPMessageBody?) async throws -> (HTTPResponse, HTTPMessageBody?)

  public let limits: TransportLimits

  private let client: Client
  private let whole: ClosureTransport

  /// - Parameters:
  ///   - limits: What a response may cost.
  ///   - client: Carries out one exchange, in a task of its own.
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
      // A serial queue has a thread at once; those of Swift's tasks are as few as the processors.
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
