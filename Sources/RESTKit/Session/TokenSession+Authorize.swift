import Foundation
import Streams

extension TokenSession {
  /// Lets a request carry this session's token, and sends it once more where that is refused and a
  /// new one can be had.
  ///
  /// The token goes on after the request's modifier has run, on requests to the API's own origin
  /// only; an `Authorization` that the modifier set is kept, and its 401 is the caller's. Each attempt
  /// runs the modifier anew.
  ///
  /// - Errors: ``TokenSessionError`` where there is no token to be had; `RESTError` of kind
  ///   `status(401)`, with the body, where the new token is refused, too: there is one refresh for a
  ///   call, whatever retries it. A request that is refused with a token which somebody else has
  ///   replaced meanwhile is sent once more all the same. Any other response passes.
  /// - Cancellation: Ends the request or the wait; a refresh goes on for the others.
  /// - Delivery: Where the request delivers.
  ///
  /// - Parameter request: What a verb of a `RESTAPI` gives, and what is made of it.
  public func authorize<Request: Publisher>(
    _ request: Request
  ) -> AnyPublisher<RESTResponse, any Error>
  where Request.Output == RESTResponse, Request.Failure == any Error {
    authorize(request.eraseToAnyPublisher(), verdict: { .answered($0) })
  }

  /// As ``authorize(_:)``, for an upload: its progress begins anew where it is sent once more.
  ///
  /// A body that can be sent only once is not: the call fails then, and says so.
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

  /// As ``authorize(_:)``, for a response in pieces: those of an answer that refuses the token are
  /// kept back, and those of the next one come in their place.
  ///
  /// Whether an answer refuses is asked at its head, of a rule that sees no body yet; one that the
  /// body alone tells of passes. What is refused is read to its end, within the transport's limits on
  /// a whole response, so that its connection can be used again and the error of a second 401 has the
  /// body. The progress of a body that is sent once more begins anew; one that can be sent only once
  /// is not: the call fails then, and says so.
  public func authorize<Request: Publisher>(
    _ request: Request
  ) -> AnyPublisher<TransferEvent, any Error>
  where Request.Output == TransferEvent, Request.Failure == any Error {
    authorize(request.eraseToAnyPublisher()) { event in
      guard case .head(let head) = event else { return .open }
      // One that refuses does not get here, but as a failure.
      return .answered(
        RESTResponse(head: head, data: Data(), request: RequestSummary(method: .get, url: head.url))
      )
    }
  }

  /// As ``authorize(_:)``, for a request whose outputs are not responses: a download, a value decoded
  /// already, lines made of a response in pieces.
  ///
  /// That the token was refused is seen by the failure then, a `RESTError` of kind `status`. What was
  /// delivered before it comes again. A live stream of events keeps its place: each of its connections is
  /// authorized by itself, as where the session is its API's own.
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

  /// Whether a call is one that this session's own refresh makes.
  func isRefreshing(in context: SubscriptionContext) -> Bool {
    context[RefreshingSessionKey.self] == tag
  }

  /// What a call can use without waiting.
  var usableCredential: IssuedCredential? {
    let now = self.now
    return machine.withLock { $0.usable(at: now) }
  }

  /// For how long who is signed in is that; nil where nobody is, or the store has not been read.
  var span: SignInSpan? { machine.withLock { $0.current?.span } }

  /// Whether a credential is no longer the one there is: it was renewed, replaced, or signed out of.
  func hasReplaced(_ credential: IssuedCredential) -> Bool {
    machine.withLock { $0.current !== credential }
  }

  func noteRefusal(of credential: IssuedCredential) {
    let now = self.now
    machine.withLock { $0.noteRefusal(of: credential, at: now) }
  }
}
