import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// The elements of an endpoint's answer, as they come.
  ///
  /// It is cold: each subscription sends the request. Demand reaches the server where the format lets it:
  /// while nothing is asked for, the transport stops to read.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask for.
  ///   - requestModifier: Changes each request before it is sent.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Asked.Response.Element, any Error> where Asked.Response: StreamedAnswer {
    Asked.Response.elements(of: endpoint, from: self, requestModifier: requestModifier)
  }

  /// The elements of an endpoint's answer for a task, which asks for one at a time; the end of the loop, or
  /// the task's cancel, ends the exchange.
  ///
  /// - Parameter endpoint: What to ask for.
  public func values<Asked: Endpoint>(
    for endpoint: Asked
  ) -> AsyncValues<AnyPublisher<Asked.Response.Element, any Error>>
  where Asked.Response: StreamedAnswer {
    publisher(for: endpoint).values
  }

  /// Asks for an endpoint's answer at once, and calls back with each element on the main actor, whose state
  /// the closures may touch.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask for.
  ///   - receive: Runs for each element, in order.
  ///   - completion: Runs once, unless the call is cancelled first.
  /// - Returns: What cancels the call; so does dropping it.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked, receive: @escaping @MainActor @Sendable (Asked.Response.Element) -> Void,
    completion: @escaping @MainActor @Sendable (Subscribers.Completion<any Error>) -> Void
  ) -> AnyCancellable where Asked.Response: StreamedAnswer {
    publisher(for: endpoint)
      .sink(on: MainActor.shared, receiveCompletion: completion, receiveValue: receive)
  }

  /// Asks for an endpoint's answer at once, and calls back with each element.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask for.
  ///   - scheduler: Where to call back.
  ///   - receive: Runs for each element, in order.
  ///   - completion: Runs once, unless the call is cancelled first.
  /// - Returns: What cancels the call; so does dropping it.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked, on scheduler: any Scheduler,
    receive: @escaping @Sendable (Asked.Response.Element) -> Void,
    completion: @escaping @Sendable (Subscribers.Completion<any Error>) -> Void
  ) -> AnyCancellable where Asked.Response: StreamedAnswer {
    publisher(for: endpoint).receive(on: scheduler)
      .sink(receiveCompletion: completion, receiveValue: receive)
  }
}
