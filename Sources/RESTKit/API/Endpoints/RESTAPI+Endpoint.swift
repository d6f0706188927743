import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension RESTAPI {
  /// What an endpoint is answered with.
  ///
  /// It is cold, as every verb is: each subscription makes the request anew and sends it. The answer
  /// comes on the transport's thread. It is sent again as the API's ``RESTAPI/retry`` says, and carries
  /// the token of its ``RESTAPI/session`` unless the endpoint's ``Endpoint/authorization`` is `none`.
  ///
  /// Fails with ``RESTError``, of kind `invalidEndpoint` where a value does not fit its path, and with
  /// ``TokenSessionError`` where there is no token to be had.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask for.
  ///   - requestModifier: Changes the request before it is sent, for each attempt.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Asked.Response, any Error> {
    let draft = RequestDraft(endpoint, baseURL: baseURL, requestModifier: requestModifier)
    return RequestSender(for: self).response(to: draft)
      .tryMap { try endpoint.answer($0) }
      .eraseToAnyPublisher()
  }

  /// Asks for an endpoint's answer in a task; the task's cancel ends the call.
  ///
  /// - Throws: ``RESTError``, ``TokenSessionError``, or `CancellationError` once the task was cancelled.
  public func send<Asked: Endpoint>(_ endpoint: Asked) async throws -> Asked.Response {
    try await publisher(for: endpoint).value
  }

  /// Asks for an endpoint's answer at once, and calls back with it on the main actor, whose state the
  /// closure may touch.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask for.
  ///   - completion: Runs once, unless the call is cancelled first.
  /// - Returns: What cancels the call; so does dropping it.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked,
    completion: @escaping @MainActor @Sendable (Result<Asked.Response, any Error>) -> Void
  ) -> AnyCancellable {
    send(endpoint, on: .mainActor) { result in
      MainActor.assumeIsolated { completion(result) }
    }
  }

  /// Asks for an endpoint's answer at once, and calls back with it.
  ///
  /// - Parameters:
  ///   - endpoint: What to ask for.
  ///   - scheduler: Where to call back.
  ///   - completion: Runs once, unless the call is cancelled first.
  /// - Returns: What cancels the call; so does dropping it.
  public func send<Asked: Endpoint>(
    _ endpoint: Asked, on scheduler: any Scheduler,
    completion: @escaping @Sendable (Result<Asked.Response, any Error>) -> Void
  ) -> AnyCancellable {
    publisher(for: endpoint).receive(on: scheduler).sink(receiveResult: completion)
  }
}
