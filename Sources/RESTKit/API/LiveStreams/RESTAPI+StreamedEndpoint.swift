import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Returns a publisher of the elements of an endpoint's answer, as they arrive.
  ///
  /// The publisher is cold: each subscription sends the request. If the format allows it, demand
  /// reaches the server: without demand, the transport stops reading.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Asked.Response.Element, any Error> where Asked.Response: StreamedAnswer {
    Asked.Response.elements(of: endpoint, from: self, requestModifier: requestModifier)
  }

  /// Returns the elements of an endpoint's answer as an asynchronous sequence, which requests one element
  /// at a time.
  ///
  /// The end of the loop, or the cancellation of its task, ends the exchange.
  ///
  /// - Parameter endpoint: The endpoint.
  public func values<Asked: Endpoint>(
    for endpoint: Asked
  ) -> AsyncValues<AnyPublisher<Asked.Response.Element, any Error>>
  where Asked.Response: StreamedAnswer {
    publisher(for: endpoint).values
  }

  /// Sends an endpoint's request at once, and calls a closure with each element on the main actor.
  ///
  /// The closures may use the main actor's state.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - receive: A closure that runs for each element, in order.
  ///   - completion: A closure that runs once, unless the call is cancelled first.
  /// - Returns: A cancellable that cancels the call. Releasing it cancels the call, too.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked, receive: @escaping @MainActor @Sendable (Asked.Response.Element) -> Void,
    completion: @escaping @MainActor @Sendable (Subscribers.Completion<any Error>) -> Void
  ) -> AnyCancellable where Asked.Response: StreamedAnswer {
    publisher(for: endpoint)
      .sink(on: MainActor.shared, receiveCompletion: completion, receiveValue: receive)
  }

  /// Sends an endpoint's request at once, and calls a closure with each element.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - scheduler: The scheduler that runs the closures.
  ///   - receive: A closure that runs for each element, in order.
  ///   - completion: A closure that runs once, unless the call is cancelled first.
  /// - Returns: A cancellable that cancels the call. Releasing it cancels the call, too.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked, on scheduler: any Scheduler,
    receive: @escaping @Sendable (Asked.Response.Element) -> Void,
    completion: @escaping @Sendable (Subscribers.Completion<any Error>) -> Void
  ) -> AnyCancellable where Asked.Response: StreamedAnswer {
    publisher(for: endpoint).receive(on: scheduler)
      .sink(receiveCompletion: completion, receiveValue: receive)
  }
}
