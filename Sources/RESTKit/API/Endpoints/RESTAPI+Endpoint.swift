import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// Returns a publisher of an endpoint's response.
  ///
  /// The publisher is cold, as every verb is: each subscription makes and sends a new request. The
  /// response arrives on the transport's thread. The API's ``RESTAPI/retry`` decides whether the
  /// request is sent again. The request carries the token of the API's ``RESTAPI/session`` unless
  /// the endpoint's ``Endpoint/authorization`` is `none`.
  ///
  /// The publisher fails with ``RESTError``, of kind `invalidEndpoint` if a value does not fit the
  /// path. It fails with ``TokenSessionError`` if the session has no token.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Asked.Response, any Error> {
    let draft = RequestDraft(endpoint, of: RequestBase(self), requestModifier: requestModifier)
    return RequestSender(for: self).response(to: draft, retry: endpoint.retry)
      .tryMap { try endpoint.answer($0) }
      .eraseToAnyPublisher()
  }

  /// Sends an endpoint's request and returns the response.
  ///
  /// Cancelling the task cancels the call.
  ///
  /// - Throws: ``RESTError``, ``TokenSessionError``, or `CancellationError` once the task was
  ///   cancelled.
  public func send<Asked: Endpoint>(_ endpoint: Asked) async throws -> Asked.Response {
    try await publisher(for: endpoint).value
  }

  /// Sends an endpoint's request at once, and calls a closure with the response on the main actor.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - completion: A closure that runs once, unless the call is cancelled first. It may use the
  ///     main actor's state.
  /// - Returns: A cancellable that cancels the call. Releasing it cancels the call, too.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked,
    completion: @escaping @MainActor @Sendable (Result<Asked.Response, any Error>) -> Void
  ) -> AnyCancellable {
    send(endpoint, on: .mainActor) { result in
      // The scheduler runs this on the main actor, so it never traps.
      MainActor.assumeIsolated { completion(result) }
    }
  }

  /// Sends an endpoint's request at once, and calls a closure with the response.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - scheduler: The scheduler that runs the closure.
  ///   - completion: A closure that runs once, unless the call is cancelled first.
  /// - Returns: A cancellable that cancels the call. Releasing it cancels the call, too.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked, on scheduler: any Scheduler,
    completion: @escaping @Sendable (Result<Asked.Response, any Error>) -> Void
  ) -> AnyCancellable {
    publisher(for: endpoint).receive(on: scheduler).sink(receiveResult: completion)
  }
}
