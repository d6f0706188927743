import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A failure type of an app's own for all calls of an API, see ``TypedFailureAPI``.
///
/// ```swift
/// enum ShopFailure: APIFailure {
///   case refused(ShopRefusal)
///   case other(any Error)
///
///   init(_ error: any Error) {
///     let refusal = (error as? RESTError)?.body.flatMap {
///       try? JSONDecoder().decode(ShopRefusal.self, from: $0)
///     }
///     self = refusal.map(ShopFailure.refused) ?? .other(error)
///   }
/// }
/// ```
public protocol APIFailure: Error {
  /// Makes the failure of a call.
  ///
  /// - Parameter error: What the call of a ``RESTAPI`` fails with: ``RESTError``,
  ///   ``TokenSessionError``, an error of an endpoint's ``Endpoint/answer(_:)`` or of the
  ///   transport; from `send` in a cancelled task, `CancellationError`. An error of this type is
  ///   not converted.
  init(_ error: any Error)
}

/// An API whose endpoints fail with a type of the app's own, said once.
///
/// ```swift
/// struct ShopAPI: TypedFailureAPI {
///   typealias Failure = ShopFailure
///   let baseURL = "https://api.example.com/v1"
/// }
///
/// ShopAPI().publisher(for: Orders())   // AnyPublisher<[Order], ShopFailure>
/// ```
///
/// `publisher(for:)`, `send`, `values(for:)`, `pages(from:)`, `longPoll(from:next:)`, `events(_:)`,
/// `upload(_:)` and `download(_:to:)` of an endpoint have this failure, and so has `decode(type:)`
/// after the upload. Where `any Error` is needed, as by `session.authorize(…)`, the compiler uses
/// those of ``RESTAPI``. The verbs of a path, such as `get(endpoint:)`, always fail with
/// `any Error`, because more stages may follow; end such a pipeline with
/// `mapError(ShopFailure.init)`.
public protocol TypedFailureAPI: RESTAPI {
  /// The failure of the API's endpoints.
  associatedtype Failure: APIFailure
}

extension APIFailure {
  /// The failure for an error, which may be one already.
  static func of(_ error: any Error) -> Self { error as? Self ?? Self(error) }
}

extension AnyPublisher where Failure == any Error {
  func failing<Typed: APIFailure>(
    with type: Typed.Type
  ) -> AnyPublisher<Output, Typed> {
    mapError { Typed.of($0) }.eraseToAnyPublisher()
  }
}

extension TypedFailureAPI {
  /// Whether the compiler is to use the function of ``RESTAPI``.
  var untyped: any RESTAPI { self }

  /// Returns a publisher of an endpoint's response, with the API's failure.
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes the request before each attempt.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Asked.Response, Failure> {
    untyped.publisher(for: endpoint, requestModifier: requestModifier).failing(with: Failure.self)
  }

  /// Returns a publisher of the elements of an endpoint's response, as they arrive, with the API's
  /// failure.
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func publisher<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Asked.Response.Element, Failure> where Asked.Response: StreamedResponse {
    untyped.publisher(for: endpoint, requestModifier: requestModifier).failing(with: Failure.self)
  }

  /// Returns the elements of an endpoint's response as an asynchronous sequence, with the API's
  /// failure.
  ///
  /// A loop in a cancelled task ends, because the failure's type holds no `CancellationError`.
  /// Otherwise the sequence is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint.
  ///   - requestModifier: A closure that changes each request before it is sent.
  public func values<Asked: Endpoint>(
    for endpoint: Asked, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AsyncValues<AnyPublisher<Asked.Response.Element, Failure>>
  where Asked.Response: StreamedResponse {
    publisher(for: endpoint, requestModifier: requestModifier).values
  }

  /// Sends an endpoint's request and returns the response.
  ///
  /// Cancelling the task cancels the call.
  ///
  /// - Throws: The API's failure, made of a `CancellationError` once the task was cancelled.
  public func send<Asked: Endpoint>(_ endpoint: Asked) async throws(Failure) -> Asked.Response {
    do {
      return try await untyped.publisher(for: endpoint).value
    } catch {
      throw Failure.of(error)
    }
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
    completion: @escaping @MainActor @Sendable (Result<Asked.Response, Failure>) -> Void
  ) -> AnyCancellable {
    untyped.send(endpoint) { completion($0.mapError(Failure.of)) }
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
    completion: @escaping @Sendable (Result<Asked.Response, Failure>) -> Void
  ) -> AnyCancellable {
    untyped.send(endpoint, on: scheduler) { completion($0.mapError(Failure.of)) }
  }

  /// Returns a publisher of the responses of a paged resource, with the API's failure.
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first page.
  ///   - next: A closure that returns the endpoint of the page after a response, or nil after the
  ///     last.
  public func pages<Page: Endpoint>(
    from first: Page, next: @escaping @Sendable (Page, Page.Response) -> Page?
  ) -> AnyPublisher<Page.Response, Failure> {
    untyped.pages(from: first, next: next).failing(with: Failure.self)
  }

  /// Returns a publisher of the responses of an endpoint that is paged by links, with the API's
  /// failure.
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first page.
  ///   - requestModifier: A closure that changes each request before each attempt.
  public func pages<Page: Endpoint>(
    from first: Page, requestModifier: @escaping RequestModifier = { $0 }
  ) -> AnyPublisher<Page.Response, Failure> {
    untyped.pages(from: first, requestModifier: requestModifier).failing(with: Failure.self)
  }

  /// Returns a publisher of the responses of a long poll, with the API's failure.
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first request.
  ///   - policy: The policy that decides what follows a failure.
  ///   - requestModifier: A closure that changes each request before it is sent.
  ///   - next: A closure that returns the endpoint of the request after a response, or nil after
  ///     the last.
  public func longPoll<Poll: Endpoint>(
    from first: Poll, reconnecting policy: ReconnectPolicy = ReconnectPolicy(),
    requestModifier: @escaping RequestModifier = { $0 },
    next: @escaping @Sendable (Poll, Poll.Response) -> Poll?
  ) -> AnyPublisher<Poll.Response, Failure> {
    untyped.longPoll(
      from: first, reconnecting: policy, requestModifier: requestModifier, next: next
    )
    .failing(with: Failure.self)
  }

  /// Returns a publisher of the responses of a long poll, each with the endpoint that it answers,
  /// with the API's failure.
  ///
  /// Otherwise it is that of ``RESTAPI``.
  ///
  /// - Parameters:
  ///   - first: The endpoint of the first request.
  ///   - policy: The policy that decides what follows a failure.
  ///   - requestModifier: A closure that changes each request before it is sent.
  ///   - next: A closure that returns the endpoint of the request after a response, or nil after
  ///     the last.
  public func longPollExchanges<Poll: Endpoint>(
    from first: Poll, reconnecting policy: ReconnectPolicy = ReconnectPolicy(),
    requestModifier: @escaping RequestModifier = { $0 },
    next: @escaping @Sendable (Poll, Poll.Response) -> Poll?
  ) -> AnyPublisher<(request: Poll, response: Poll.Response), Failure> {
    untyped.longPollExchanges(
      from: first, reconnecting: policy, requestModifier: requestModifier, next: next
    )
    .failing(with: Failure.self)
  }
}
