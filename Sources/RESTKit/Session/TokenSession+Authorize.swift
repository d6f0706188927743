import Foundation
import Streams

extension TokenSession {
  /// Returns a publisher that sends a request with this session's token.
  ///
  /// If the token is refused, it waits for a new token and sends the request once more.
  ///
  /// The token is added after the request's modifier has run, and only to requests to the API's own origin.
  /// An `Authorization` field that the modifier set is kept, and a 401 for it passes to the caller. Each
  /// attempt runs the modifier again.
  ///
  /// - Errors: ``TokenSessionError`` if there is no token. `RESTError` of kind `status(401)`, with the
  ///   body, if the new token is refused, too: a call has one refresh, however often it is retried. A request
  ///   whose refused token was replaced meanwhile by another call is sent once more in any case. Any other
  ///   response passes.
  /// - Cancellation: Ends the request or the wait. A refresh continues for the other calls.
  /// - Delivery: On the thread on which the request delivers.
  ///
  /// - Parameter request: The publisher of a `RESTAPI` verb, or a publisher derived from it.
  public func authorize<Request: Publisher>(
    _ request: Request
  ) -> AnyPublisher<RESTResponse, any Error>
  where Request.Output == RESTResponse, Request.Failure == any Error {
    authorize(request.eraseToAnyPublisher(), verdict: { .answered($0) })
  }

  /// Authorizes an upload as ``authorize(_:)`` does.
  ///
  /// Its progress starts again from zero if the upload is sent once more.
  ///
  /// A body that can be sent only once is not repeated; the call fails with an error that says so.
  public func authorize<Request: Publisher>(
    _ request: Request
  ) -> AnyPublisher<UploadEvent, any Error>
  where Request.Output == UploadEvent, Request.Failure == any Error {
    authorize(request.eraseToAnyPublisher()) { event in
      switch event {
      case .progress: .open
      case .response(let response): .answered(response)
      }
    }
  }

  /// Authorizes a response in pieces as ``authorize(_:)`` does.
  ///
  /// The pieces of a response that refuses the token are held back, and the pieces of the next response
  /// replace them.
  ///
  /// The refusal rule sees the head only, without a body. A response that only its body marks as a refusal
  /// passes. A refused response is read to its end, within the transport's limits for a whole response. Its
  /// connection can thus be reused, and the error of a second 401 contains the body. The progress of a
  /// repeated body starts again from zero. A body that can be sent only once is not repeated; the call fails
  /// with an error that says so.
  public func authorize<Request: Publisher>(
    _ request: Request
  ) -> AnyPublisher<TransferEvent, any Error>
  where Request.Output == TransferEvent, Request.Failure == any Error {
    authorize(request.eraseToAnyPublisher()) { event in
      guard case .head(let head) = event else { return .open }
      // A response that refuses the token does not arrive here, but as a failure.
      return .answered(
        RESTResponse(head: head, data: Data(), request: RequestSummary(method: .get, url: head.url))
      )
    }
  }

  /// Authorizes a request with outputs that are not responses, as ``authorize(_:)`` does: a download, a
  /// decoded value, lines of a response in pieces.
  ///
  /// Such a request shows a refused token as a failure: a `RESTError` of kind `status`. Outputs delivered
  /// before the failure are delivered again. A live stream of events keeps its place: each of its connections
  /// is authorized separately, as under the session of its API.
  @_disfavoredOverload
  public func authorize<Request: Publisher>(
    _ request: Request
  ) -> AnyPublisher<Request.Output, any Error> where Request.Failure == any Error {
    authorize(
      request.context(AuthorizingSessionKey.self, self).eraseToAnyPublisher(),
      verdict: { _ in .accepted })
  }

  private func authorize<Output: Sendable>(
    _ request: AnyPublisher<Output, any Error>,
    verdict: @escaping @Sendable (Output) -> TokenVerdict
  ) -> AnyPublisher<Output, any Error> {
    DeferredInContext { [self] context in
      let call = context.call ?? LogicalCall(clock: scheduler, in: context)
      let authorized = AuthorizedCall(
        session: self, call: call, in: context, request: request, verdict: verdict)
      return Relay(
        isRefreshing(in: context) ? authorized.refused : authorized.first, ending: call, in: context
      )
    }
    .eraseToAnyPublisher()
  }

  /// Whether this session's own refresh makes the call.
  func isRefreshing(in context: SubscriptionContext) -> Bool {
    context[RefreshingSessionKey.self] == tag
  }

  /// The span of the signed-in user; nil if no user is signed in or the store has not been read.
  var span: SignInSpan? { machine.withLock { $0.current?.span } }

  /// The credential of this session that a response answers; nil if its request carried none.
  func credential(answeredBy head: ResponseHead) -> IssuedCredential? {
    guard let credential = head.departure?.credential as? IssuedCredential,
      credential.span.session == tag
    else { return nil }
    return credential
  }

  /// Whether a credential is no longer the current one, because of a refresh, a replacement or a sign-out.
  func hasReplaced(_ credential: IssuedCredential) -> Bool {
    machine.withLock { $0.current !== credential }
  }

  func noteRefusal(of credential: IssuedCredential) {
    let now = self.now
    machine.withLock { $0.noteRefusal(of: credential, at: now) }
  }
}
