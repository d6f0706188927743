import Streams

/// One subscription to what a session authorizes.
///
/// The request's type is hidden already: what is generic over it would not be specialized here.
final class AuthorizedCall<Output: Sendable>: Sendable {
  private let session: TokenSession
  private let call: LogicalCall
  private let request: AnyPublisher<Output, any Error>
  private let verdict: @Sendable (Output) -> TokenVerdict

  init(
    session: TokenSession, call: LogicalCall, request: AnyPublisher<Output, any Error>,
    verdict: @escaping @Sendable (Output) -> TokenVerdict
  ) {
    self.session = session
    self.call = call
    self.request = request
    self.verdict = verdict
  }

  func begin() -> AnyPublisher<Output, any Error> {
    // As a rule there is a token, and nothing to wait for.
    if let credential = session.usableCredential { return send(with: credential) }
    return session.credential(for: call).flatMap { self.send(with: $0) }.eraseToAnyPublisher()
  }

  private func send(
    with credential: IssuedCredential
  ) -> AnyPublisher<Output, any Error> {
    request
      .context(RequestAuthorizerKey.self, BearerAuthorizer(credential: credential))
      .context(LogicalCall.Key.self, call)
      .tryMap { try self.check($0, for: credential) }
      .tryCatch { try self.answer($0, to: credential) }
      .eraseToAnyPublisher()
  }

  /// Lets an output pass unless it refuses the token.
  private func check(_ output: Output, for credential: IssuedCredential) throws -> Output {
    let response: RESTResponse
    switch verdict(output) {
    case .open: return output
    case .accepted:
      credential.noteAccepted()
      return output
    case .answered(let answer): response = answer
    }
    guard !refuses(response, credential) else { throw Refusal(output: output, response: response) }
    if response.statusCode < 500, !credential.wasAccepted, carried(credential) {
      credential.noteAccepted()
    }
    return output
  }

  /// Goes on after a failure: with another credential where this one was refused, if the call may.
  private func answer(
    _ error: any Error, to credential: IssuedCredential
  ) throws -> AnyPublisher<Output, any Error> {
    let refusal = error as? Refusal
    guard let response = refusal?.response ?? refusedResponse(of: error, credential) else {
      throw error
    }
    session.noteRefusal(of: credential)
    guard !call.hasRefreshed else {
      guard let refusal else { throw error }
      guard response.statusCode == 401 else {
        return Just(refusal.output).setFailureType(to: (any Error).self).eraseToAnyPublisher()
      }
      throw RESTError(unacceptable: response)
    }
    return session.credential(for: call, after: credential)
      .flatMap { renewed in
        // What somebody else renewed is a refresh for this call, too.
        if renewed.refreshNumber != nil { _ = self.call.takeRefresh() }
        self.call.prepareNext(cause: .refresh)
        return self.send(with: renewed)
      }
      .eraseToAnyPublisher()
  }

  private func refuses(_ response: RESTResponse, _ credential: IssuedCredential) -> Bool {
    session.options.refusals.refuses(response) && carried(credential)
  }

  /// Whether the last request had the session's token: not a user's own, and not left behind by a
  /// redirect.
  private func carried(_ credential: IssuedCredential) -> Bool {
    call.lastRequest?.authorization == credential.authorization
  }

  /// The response that a stage before this one, such as `validateStatus`, took for a failure.
  private func refusedResponse(
    of error: any Error, _ credential: IssuedCredential
  ) -> RESTResponse? {
    guard let error = error as? RESTError, case .status = error.kind, let head = error.response,
      let request = error.request
    else { return nil }
    let response = RESTResponse(head: head, data: error.body ?? .init(), request: request)
    return refuses(response, credential) ? response : nil
  }

  private struct Refusal: Error {
    let output: Output
    let response: RESTResponse
  }
}
