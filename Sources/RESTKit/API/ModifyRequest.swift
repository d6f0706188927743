import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Publisher where Failure == any Error {
  /// Changes the requests of a call in a closure that may wait or fail: for a signature of the body, or
  /// a nonce from a store.
  ///
  /// ```swift
  /// api.post(endpoint: "orders", body: .json(order))
  ///   .modifyRequest { request in
  ///     request.settingHeader("Signature", to: try await signer.signature(of: request.httpBody ?? Data()))
  ///   }
  /// ```
  ///
  /// The closure runs for each attempt, in a task of its own, when all else is on the request: what its
  /// `requestModifier` did, a session's token, validators and an idempotency key. It sees the bytes that
  /// will leave as `httpBody`, but for a body of files or chunks. A redirect is not a request of its
  /// own here. Of several, the one nearest to the verb runs first.
  ///
  /// - Errors: What the closure throws; nothing was sent then. ``RESTError`` of kind `invalidRequest`
  ///   where it leads a request with a session's token to another origin.
  /// - Cancellation: Cancels the task of the closure.
  /// - Delivery: Where the call delivers.
  ///
  /// - Parameter modifier: Gives the request that is sent.
  public func modifyRequest(
    _ modifier: @escaping @Sendable (URLRequest) async throws -> URLRequest
  ) -> AnyPublisher<Output, any Error> where Output: Sendable {
    let call = eraseToAnyPublisher()
    return DeferredInContext { context in
      let modification = RequestModification(
        modify: modifier, next: context[RequestModification.Key.self])
      return call.context(RequestModification.Key.self, modification)
    }
    .eraseToAnyPublisher()
  }
}

/// What is done with a request in a task before it is sent.
final class RequestModification: Sendable {
  /// In the context of a verb: what is done with its requests.
  enum Key: SubscriptionContextKey {
    static var defaultValue: RequestModification? { nil }
  }

  private let modify: @Sendable (URLRequest) async throws -> URLRequest
  private let next: RequestModification?

  init(
    modify: @escaping @Sendable (URLRequest) async throws -> URLRequest,
    next: RequestModification?
  ) {
    self.modify = modify
    self.next = next
  }

  /// The request that is sent in the place of another.
  ///
  /// - Parameter isAuthorized: Whether a session may have put a token on it, which is for the origin
  ///   it has.
  func publisher(
    for request: URLRequest, isAuthorized: Bool
  ) -> some Publisher<URLRequest, any Error> {
    Single { [self] () async throws -> URLRequest in
      let modified = try await modified(request)
      guard isAuthorized, modified.url.map(Origin.init) != request.url.map(Origin.init) else {
        return modified
      }
      throw RESTError(
        .invalidRequest,
        reason:
          "the request was not sent: modifyRequest led it to another origin, with the token on it",
        remedy:
          "Change the URL in the verb's requestModifier, which runs before the token goes on.",
        request: RequestSummary(modified), attempts: 0)
    }
  }

  private func modified(_ request: URLRequest) async throws -> URLRequest {
    var request = request
    var modification: RequestModification? = self
    while let current = modification {
      request = try await current.modify(request)
      modification = current.next
    }
    return request
  }
}
