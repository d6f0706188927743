import Streams

extension TokenSession {
  /// Returns a publisher whose requests carry this session's token.
  ///
  /// If the token of a request is refused, the request waits for a new token and is sent once more.
  /// This concerns the refused request alone, not the rest of the pipeline.
  ///
  /// ```swift
  /// session.authorize(api.get(endpoint: "orders").decode(type: [Order].self))
  /// ```
  ///
  /// The pipeline may have any outputs: a response, a decoded value, the events of an upload, a
  /// download or a live stream. Its calls belong to the user who is signed in at the subscription.
  /// The token is added after the request's modifier has run, when the request leaves, and only to
  /// requests to the API's own origin. An `Authorization` field that the modifier set is kept, and
  /// a 401 for it passes to the caller. A request that is sent once more runs the modifier again.
  /// Of several sessions, the one nearest to the verb applies.
  ///
  /// The session's rule sees the server's response before the stages of the pipeline see it. The
  /// pieces of a response that refuses the token are held back, and the pieces of the next response
  /// replace them. Of such a response the rule sees the head first, without a body. The response is
  /// then read to its end, within the transport's limits for a whole response, so that its
  /// connection can be reused and the error of a second 401 contains the body. The progress of a
  /// body that is sent once more begins again from zero. A body that can be sent only once is not
  /// repeated; the call fails with an error that says so.
  ///
  /// - Errors: ``TokenSessionError`` if there is no token. `RESTError` of kind `status(401)`, with
  ///   the body, if the new token is refused, too: a call has one refresh, however often it is
  ///   retried. A request whose refused token was replaced meanwhile by another call is sent once
  ///   more in any case. Any other response passes.
  /// - Cancellation: Ends the requests or the wait. A refresh continues for the other calls.
  /// - Delivery: On the thread on which the pipeline delivers.
  ///
  /// - Parameter pipeline: The publisher of a `RESTAPI` verb, or a publisher derived from it.
  public func authorize<Pipeline: Publisher>(
    _ pipeline: Pipeline
  ) -> AnyPublisher<Pipeline.Output, any Error> where Pipeline.Failure == any Error {
    AuthorizedPipeline(pipeline: pipeline.eraseToAnyPublisher(), session: self)
      .eraseToAnyPublisher()
  }

}

/// A pipeline whose calls carry the token of a session, and are one call together.
private struct AuthorizedPipeline<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let pipeline: AnyPublisher<Output, any Error>
  let session: TokenSession

  // Most pipelines end with a response, and code that is not specialized looks up its types each
  // time.
  @_specialize(where Output == RESTResponse, S == AnySubscriber<RESTResponse, any Error>)
  func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
    let context = subscriber.context
    let outer = context.call
    let call =
      outer ?? LogicalCall(on: session.callClock, under: context.options.deadline, in: context)
    // The calls belong to the user who is signed in now, however long the pipeline waits.
    if let span = session.span { _ = call.admits(span, of: span.session) }
    var inside = context.changingOptions { $0.session = session }
    if outer == nil { inside = inside.setting(ScopedCall.Key.self, to: ScopedCall(of: call)) }
    Relay(RelayLeg(pipeline, rule: Unruled(), context: inside), ending: call, in: context)
      .receive(subscriber: subscriber)
  }
}
