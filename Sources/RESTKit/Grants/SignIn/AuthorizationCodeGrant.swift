import Foundation
import Streams

/// Signs a user in with the browser: authorization code with a proof key (RFC 6749 §4.1, RFC 7636).
///
/// A tool on a machine listens for the answer itself:
///
/// ```swift
/// let grant = AuthorizationCodeGrant(client, scope: "orders") { url in
///   print("Open \(url)")
/// }
/// try await session.signIn(with: grant).value
/// ```
///
/// An app has the system show the browser, and gets the answer at its own redirect URI; see
/// ``init(_:scope:redirectURI:parameters:authorize:)``.
///
/// Each sign-in has a new proof key, by `S256` alone, and a new `state` of 256 random bits. A callback
/// counts if it is at the redirect URI, has that `state`, has each parameter once, and names the server's
/// issuer (RFC 9207), if it names one or the server says that it does.
public struct AuthorizationCodeGrant: SignInGrant {
  private enum Redirect: Sendable {
    case app(uri: String, authorize: @Sendable (URL) async throws -> URL)
    case loopback(LoopbackRedirect, open: @Sendable (URL) async throws -> Void)
  }

  private let client: OAuthClient
  private let scope: String?
  private let parameters: QueryItems
  private let redirect: Redirect

  /// For apps: the system shows the browser and gives the callback's URL back, as
  /// `ASWebAuthenticationSession` does.
  ///
  /// - Parameters:
  ///   - client: Who asks; its server has to have an `authorization_endpoint`.
  ///   - scope: What is asked for; nil for what the server gives by itself.
  ///   - redirectURI: Where the answer goes, exactly as it is registered with the server.
  ///   - parameters: Additional ones of the request, such as `prompt` or `login_hint`.
  ///   - authorize: Shows the URL to the user and returns that of the callback. It runs in a task, which a
  ///     cancel of the sign-in cancels; what it throws fails the sign-in.
  public init(
    _ client: OAuthClient, scope: String? = nil, redirectURI: String,
    parameters: QueryItems = [], authorize: @escaping @Sendable (URL) async throws -> URL
  ) {
    self.client = client
    self.scope = scope
    self.parameters = parameters
    redirect = .app(uri: redirectURI, authorize: authorize)
  }

  /// For tools on a machine with a browser: listens on 127.0.0.1 for the answer (RFC 8252 §7.3).
  ///
  /// It listens from the subscription on until the answer has come, the sign-in fails, or it is cancelled.
  /// Requests that do not have the sign-in's `state` change nothing.
  ///
  /// - Parameters:
  ///   - client: Who asks; its server has to have an `authorization_endpoint`.
  ///   - scope: What is asked for; nil for what the server gives by itself.
  ///   - loopback: Where the answer goes.
  ///   - parameters: Additional ones of the request, such as `prompt` or `login_hint`.
  ///   - open: Opens the URL in the user's browser, or shows it. It runs in a task, which ends with the
  ///     sign-in; what it throws fails the sign-in.
  public init(
    _ client: OAuthClient, scope: String? = nil, loopback: LoopbackRedirect = LoopbackRedirect(),
    parameters: QueryItems = [], open: @escaping @Sendable (URL) async throws -> Void
  ) {
    self.client = client
    self.scope = scope
    self.parameters = parameters
    redirect = .loopback(loopback, open: open)
  }

  /// - Errors: ``SignInError``; ``RESTError`` where the exchange for the token fails; what the closure
  ///   throws.
  public func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    Deferred { Result { try callback() }.publisher.flatMap { $0 } }
      .tryMap { request, callback in (request, try request.code(in: callback)) }
      .flatMap { request, code in credential(for: code, of: request, at: now) }
      .eraseToAnyPublisher()
  }

  /// The request, and the callback that answers it.
  private func callback() throws -> AnyPublisher<(AuthorizationRequest, String), any Error> {
    switch redirect {
    case .app(let uri, let authorize):
      let request = try request(redirectURI: uri)
      return Single { () async throws(any Error) in
        (request, try await authorize(request.url).absoluteString)
      }
      .eraseToAnyPublisher()
    case .loopback(let loopback, let open):
      let listener = try LoopbackListener(loopback)
      let request = try request(redirectURI: listener.redirectURI)
      let opening = Single<String?, any Error> { () async throws(any Error) in
        try await open(request.url)
        return nil
      }
      // Listening comes first: a browser may answer before the closure returns.
      return listener.callback { request.owns($0) }
        .map(Optional.some)
        .merge(with: opening)
        .compactMap { callback in callback.map { (request, $0) } }
        .first()
        .eraseToAnyPublisher()
    }
  }

  private func request(redirectURI: String) throws(SignInError) -> AuthorizationRequest {
    try AuthorizationRequest(
      by: client, redirectURI: redirectURI, scope: scope, parameters: parameters)
  }

  private func credential(
    for code: String, of request: AuthorizationRequest, at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    let date = now()
    return client.tokenAnswer(
      to: .grant(
        "authorization_code",
        [
          ("code", code), ("redirect_uri", request.redirectURI),
          ("code_verifier", request.key.verifier),
        ])
    )
    .map { [scope] in Credential($0, issuedAt: date, scope: scope) }
    .mapError { [client] in
      SignInRefusal.error(
        of: $0, hiding: client.secrets + [code, request.key.verifier, request.state])
    }
    .eraseToAnyPublisher()
  }
}
