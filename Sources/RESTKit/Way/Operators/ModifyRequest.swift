import Foundation
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Publisher where Failure == any Error {
  /// Changes the requests of a call in an asynchronous closure that may fail, for example to sign
  /// the body or to get a nonce from a store.
  ///
  /// ```swift
  /// api.post(endpoint: "orders", body: .json(order))
  ///   .modifyRequest { request in
  ///     let signature = try await signer.signature(of: request.httpBody ?? Data())
  ///     return request.settingHeader("Signature", to: signature)
  ///   }
  /// ```
  ///
  /// The closure runs for each attempt, in its own task, directly after the verb's
  /// `requestModifier`. A session, a cache or a retry policy adds its header fields after the
  /// closure, so that the token is current and is not sent to another origin. The closure sees the
  /// bytes to send as `httpBody`, unless the body consists of files or chunks. The closure does not
  /// run for a redirect, nor for the second start of a download, whose `Range`, `If-Range` and
  /// `Accept-Encoding` are set last. Of several modifiers, the one nearest to the verb runs first.
  ///
  /// - Errors: The error that the closure throws. Nothing is sent then.
  /// - Cancellation: Cancels the closure's task.
  /// - Delivery: On the call's thread. The request is sent from the closure's task.
  ///
  /// - Parameter modifier: A closure that returns the request to send.
  public func modifyRequest(
    _ modifier: @escaping @Sendable (URLRequest) async throws -> URLRequest
  ) -> AnyPublisher<Output, any Error> where Output: Sendable {
    modifyRequest { request, _ in try await modifier(request) }
  }

  /// Changes the requests of a call in an asynchronous closure that also sees the credential of the
  /// session, such as its ``Credential/extras``.
  ///
  /// ```swift
  /// api.get(endpoint: "inbox").modifyRequest { request, credential in
  ///   request.settingHeader("X-Device", to: credential?.extras["device_id"]?.string ?? "unknown")
  /// }
  /// ```
  ///
  /// It works as `modifyRequest(_:)` with a closure of the request alone.
  ///
  /// - Parameter modifier: A closure that returns the request to send. The credential is that of
  ///   the user as whom the request is sent, at this moment; nil without a session. The session
  ///   puts the token on later: it may be newer by then.
  public func modifyRequest(
    _ modifier: @escaping @Sendable (URLRequest, Credential?) async throws -> URLRequest
  ) -> AnyPublisher<Output, any Error> where Output: Sendable {
    options { options in
      options.modification = RequestModification(modify: modifier, next: options.modification)
    }
  }
}

/// A modification of requests in a task, before they are sent.
final class RequestModification: Sendable {
  typealias Modifier = @Sendable (URLRequest, Credential?) async throws -> URLRequest

  private let modify: Modifier
  private let next: RequestModification?

  init(
    modify: @escaping Modifier, next: RequestModification?
  ) {
    self.modify = modify
    self.next = next
  }

  /// Returns a publisher of the modified request.
  ///
  /// - Parameter credential: The credential of the user of the request; nil without a session.
  func publisher(
    for request: URLRequest, of credential: Credential?
  ) -> some Publisher<URLRequest, any Error> {
    Single { [self] () async throws -> URLRequest in try await modified(request, credential) }
  }

  private func modified(
    _ request: URLRequest, _ credential: Credential?
  ) async throws -> URLRequest {
    var request = request
    var modification: RequestModification? = self
    while let current = modification {
      request = try await current.modify(request, credential)
      modification = current.next
    }
    return request
  }
}
