import Dispatch
import Foundation
import RESTKit
import Streams

/// A grant that signs a user in with the browser: authorization code with a proof key (RFC 6749
/// §4.1, RFC 7636).
///
/// A command-line tool listens for the callback itself:
///
/// ```swift
/// let grant = AuthorizationCodeGrant(client, scope: "orders") { url in
///   print("Open \(url)")
/// }
/// try await session.signIn(with: grant).value
/// ```
///
/// An app lets the system show the browser, and gets the callback at its own redirect URI. See
/// ``init(_:scope:redirectURI:parameters:authorize:)``.
///
/// Each sign-in has a new proof key, always with `S256`, and a new `state` of 256 random bits. A
/// callback is valid if it is at the redirect URI, has that `state`, and has each parameter once.
/// If it names an issuer, or the server announces that its callbacks name one, this must be the
/// server's issuer (RFC 9207).
public struct AuthorizationCodeGrant: SignInGrant {
  private enum Redirect: Sendable {
    case app(uri: String, authorize: @Sendable (URL) async throws -> URL)
    case loopback(
      LoopbackRedirect, scheduler: KeptScheduler, open: @Sendable (URL) async throws -> Void)
  }

  private let client: OAuthClient
  private let scope: String?
  private let parameters: QueryItems
  private let redirect: Redirect

  /// Creates a grant for apps: the system shows the browser and returns the callback's URL, as
  /// `ASWebAuthenticationSession` does.
  ///
  /// - Parameters:
  ///   - client: The client that signs the user in. Its server needs an `authorization_endpoint`.
  ///   - scope: The requested scope, or nil for the server's default.
  ///   - redirectURI: The redirect URI, exactly as it is registered with the server.
  ///   - parameters: Additional parameters of the request, such as `prompt` or `login_hint`.
  ///   - authorize: A closure that shows the URL to the user and returns the callback's URL. It
  ///     runs in a task, which a cancel of the sign-in cancels. An error that it throws fails the
  ///     sign-in.
  public init(
    _ client: OAuthClient, scope: String? = nil, redirectURI: String,
    parameters: QueryItems = [], authorize: @escaping @Sendable (URL) async throws -> URL
  ) {
    self.client = client
    self.scope = scope
    self.parameters = parameters
    redirect = .app(uri: redirectURI, authorize: authorize)
  }

  /// Creates a grant for tools on a machine with a browser, which listens on 127.0.0.1 for the
  /// callback (RFC 8252 §7.3).
  ///
  /// It listens from the subscription until the callback arrives, the sign-in fails, the time limit
  /// is over, or the sign-in is canceled. It ignores requests that do not have the sign-in's
  /// `state`.
  ///
  /// - Parameters:
  ///   - client: The client that signs the user in. Its server needs an `authorization_endpoint`.
  ///   - scope: The requested scope, or nil for the server's default.
  ///   - loopback: The redirect URI's path and port, the page that the browser shows at the end,
  ///     and the time that the user has.
  ///   - parameters: Additional parameters of the request, such as `prompt` or `login_hint`.
  ///   - scheduler: The scheduler that measures the user's time; nil for a queue, and in a test on
  ///     virtual time for the test's scheduler.
  ///   - open: A closure that opens the URL in the user's browser, or shows it. It runs in a task,
  ///     which ends with the sign-in. An error that it throws fails the sign-in.
  public init(
    _ client: OAuthClient, scope: String? = nil, loopback: LoopbackRedirect = LoopbackRedirect(),
    parameters: QueryItems = [],
    scheduler: (any Scheduler)? = nil,
    open: @escaping @Sendable (URL) async throws -> Void
  ) {
    self.client = client
    self.scope = scope
    self.parameters = parameters
    let kept = KeptScheduler(
      scheduler, else: DispatchQueue(label: "RESTKit.AuthorizationCodeGrant"))
    redirect = .loopback(loopback, scheduler: kept, open: open)
  }

  /// - Errors: `SignInError`, `RESTError` if the exchange for the token fails, or an error that the
  ///   closure throws.
  public func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    Deferred { Result { try callback() }.publisher.flatMap { $0 } }
      .tryMap { request, callback in (request, try request.code(in: callback)) }
      .flatMap { request, code in credential(for: code, of: request, at: now) }
      .eraseToAnyPublisher()
  }

  /// Returns a publisher of the request and the callback that responds to it.
  private func callback() throws -> AnyPublisher<(AuthorizationRequest, String), any Error> {
    switch redirect {
    case .app(let uri, let authorize):
      let request = try request(redirectURI: uri)
      return Single { () async throws(any Error) in
        (request, try await authorize(request.url).absoluteString)
      }
      .eraseToAnyPublisher()
    case .loopback(let loopback, let scheduler, let open):
      let listener = try LoopbackListener(loopback)
      let request = try request(redirectURI: listener.redirectURI)
      let opening = Single<String?, any Error> { () async throws(any Error) in
        try await open(request.url)
        return nil
      }
      // Listening starts first: a browser may respond before the closure returns.
      let callback = listener.callback { request.owns($0) }
        .map(Optional.some)
        .merge(with: opening)
        .compactMap { callback in callback.map { (request, $0) } }
        .first()
      return Expiring(
        callback.eraseToAnyPublisher(), after: loopback.timeLimit,
        scheduler: scheduler.timing("AuthorizationCodeGrant")
      ) { SignInError.expired }
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
    return client.tokenResponse(
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
