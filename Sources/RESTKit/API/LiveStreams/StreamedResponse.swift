import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The response of an ``Endpoint`` that arrives in elements: ``EventStream``, ``JSONLines``, or a
/// format of your own.
///
/// ```swift
/// struct Prices: Endpoint {
///   typealias Response = JSONLines<Price>
///   var path: ResourcePath { "prices" }
/// }
///
/// for try await price in api.values(for: Prices()) { show(price) }
/// ```
///
/// Use it with `publisher(for:)`, `values(for:)`, and `send` with a closure for each element. If
/// the endpoint's type is generic, or the response is requested as a whole, the call fails with
/// ``RESTError`` of kind ``RESTError/Kind/decoding``.
public protocol StreamedResponse: Sendable {
  /// The elements of the response.
  associatedtype Element: Sendable

  /// Returns a publisher of the elements of an endpoint's response, as they arrive.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - api: The API that the endpoint belongs to.
  ///   - requestModifier: A closure that changes each request before it is sent.
  static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<Element, any Error> where Asked.Response == Self
}

extension Endpoint where Response: StreamedResponse {
  public func answer(_ response: RESTResponse) throws -> Response {
    throw RESTError(
      .decoding,
      reason: "the response of \(Self.self) arrives in elements, but was requested as a whole",
      remedy: "Use publisher(for:) or values(for:) where the endpoint's type is known.",
      response: response)
  }
}

extension RESTAPI {
  /// Returns a publisher of the elements of an endpoint's response, as they arrive.
  ///
  /// The publisher is cold: each subscription sends the request. If the format allows it, demand
  /// reaches the server: without demand, the transport stops reading.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Asked.Response.Element, any Error> where Asked.Response: StreamedResponse {
    Asked.Response.elements(of: endpoint, from: self, requestModifier: requestModifier)
  }

  /// Returns the elements of an endpoint's response as an asynchronous sequence.
  ///
  /// It requests up to 256 elements ahead, and one more for each that is taken. After 128 KiB of
  /// the body, `CurlTransport` waits until the loop has taken all elements that it has. The end of
  /// the loop, or the cancellation of its task, ends the exchange. In a cancelled task the loop
  /// throws `CancellationError`, so that a part of the response does not look whole.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func values<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AsyncValues<AnyPublisher<Asked.Response.Element, any Error>>
  where Asked.Response: StreamedResponse {
    publisher(for: endpoint, requestModifier: requestModifier).values
  }

  /// Sends an endpoint's request at once, and calls a closure with each element on the main actor.
  ///
  /// The closures may use the main actor's state.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - receive: A closure that runs for each element, in order.
  ///   - completion: A closure that runs once, unless the call is cancelled first.
  ///   - requestModifier: A closure that changes each request before it is sent.
  /// - Returns: A cancellable that cancels the call. Releasing it cancels the call, too.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked, receive: @escaping @MainActor @Sendable (Asked.Response.Element) -> Void,
    completion: @escaping @MainActor @Sendable (Subscribers.Completion<any Error>) -> Void,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyCancellable where Asked.Response: StreamedResponse {
    publisher(for: endpoint, requestModifier: requestModifier)
      .sink(on: MainActor.shared, receiveCompletion: completion, receiveValue: receive)
  }

  /// Sends an endpoint's request at once, and calls a closure with each element.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - scheduler: The scheduler that runs the closures.
  ///   - receive: A closure that runs for each element, in order.
  ///   - completion: A closure that runs once, unless the call is cancelled first.
  ///   - requestModifier: A closure that changes each request before it is sent.
  /// - Returns: A cancellable that cancels the call. Releasing it cancels the call, too.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked, on scheduler: any Scheduler,
    receive: @escaping @Sendable (Asked.Response.Element) -> Void,
    completion: @escaping @Sendable (Subscribers.Completion<any Error>) -> Void,
    requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyCancellable where Asked.Response: StreamedResponse {
    publisher(for: endpoint, requestModifier: requestModifier).receive(on: scheduler)
      .sink(receiveCompletion: completion, receiveValue: receive)
  }
}

/// The response of an endpoint as a stream of server-sent events, each a ``ServerSentEvent``.
///
/// The stream reconnects by a default ``ReconnectPolicy``, or by the policy that is passed to
/// ``RESTAPI/publisher(for:reconnecting:lastEventID:limit:requestModifier:)``.
public enum EventStream: StreamedResponse {
  public static func elements<Asked: Endpoint>(
    of endpoint: Asked, from api: some RESTAPI, requestModifier: @escaping RequestModifier
  ) -> AnyPublisher<ServerSentEvent, any Error> where Asked.Response == EventStream {
    api.publisher(
      for: endpoint, reconnecting: ReconnectPolicy(), requestModifier: requestModifier)
  }
}

extension RESTAPI {
  /// Returns a publisher of the events of an endpoint, over all its connections.
  ///
  /// Its behavior is described at
  /// ``serverSentEvents(_:endpoint:query:headers:body:lastEventID:reconnecting:limit:authorization:requestModifier:)``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - policy: The policy that decides when the stream reconnects, and how long it may be silent.
  ///   - lastEventID: The id of the last known event; empty for none.
  ///   - limit: The maximum size, in bytes, of a line and of an event's data.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, reconnecting policy: ReconnectPolicy, lastEventID: String = "",
    limit: Int = 1 << 20, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<ServerSentEvent, any Error> where Asked.Response == EventStream {
    let base = RequestBase(self)
    return RequestSender(for: self).serverSentEvents(
      policy, retry: endpoint.retry ?? retry, lastEventID: lastEventID, limit: limit,
      hasBody: endpoint.body != nil
    ) { ask in
      RequestDraft(endpoint, of: base) { request in
        var request = ask(request)
        request.limitTime(to: endpoint.timeout)
        return requestModifier(request)
      }
    }
  }
}
