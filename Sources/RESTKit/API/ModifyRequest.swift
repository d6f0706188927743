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
  ///     let signature = try await signer.signature(of: request.httpBody ?? Data())
  ///     return request.settingHeader("Signature", to: signature)
  ///   }
  /// ```
  ///
  /// The closure runs for each attempt, in a task of its own, right behind the verb's `requestModifier`:
  /// what a session, a cache or a retry policy adds comes after it, so that a token is that of the
  /// moment, and is not led to another origin. The closure sees the bytes that will leave as `httpBody`,
  /// but for a body of files or chunks. A redirect is no request of its own here; neither is the second
  /// beginning of a download, whose `Range`, `If-Range` and `Accept-Encoding` are set last. Of several,
  /// the one nearest to the verb runs first.
  ///
  /// - Errors: What the closure throws; nothing was sent then.
  /// - Cancellation: Cancels the task of the closure.
  /// - Delivery: Where the call delivers; the request is sent from the closure's task.
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

  /// The request that goes on in the place of another.
  func publisher(for request: URLRequest) -> some Publisher<URLRequest, any Error> {
    Single { [self] () async throws -> URLRequest in try await modified(request) }
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
