import Dispatch
import Foundation
import Streams

/// Signs a user in on a device without a browser, or with a poor keyboard (RFC 8628): the user opens a page
/// on another device and enters a code there.
///
/// ```swift
/// let grant = DeviceAuthorizationGrant(client, scope: "orders") { print($0) }
/// try await session.signIn(with: grant).value
/// ```
///
/// It asks whether the user has agreed at the server's interval, of 5 seconds unless it says otherwise. Each
/// `slow_down` makes that 5 seconds longer. Where the network or the server fails, the interval doubles,
/// to a minute at most or to what `Retry-After` asks, and the sign-in goes on (§3.5). It ends with
/// ``SignInError/expired`` when the code does.
public struct DeviceAuthorizationGrant: SignInGrant {
  private let client: OAuthClient
  private let scope: String?
  private let scheduler: any Scheduler
  private let show: @Sendable (DeviceAuthorization) -> Void

  /// - Parameters:
  ///   - client: Who asks; its server has to have a `device_authorization_endpoint`.
  ///   - scope: What is asked for; nil for what the server gives by itself.
  ///   - scheduler: What times the questions and the code's end.
  ///   - show: Tells the user what to do; it runs once for each sign-in, where the transport delivers.
  public init(
    _ client: OAuthClient, scope: String? = nil,
    scheduler: any Scheduler = DispatchQueue(label: "RESTKit.DeviceAuthorizationGrant"),
    show: @escaping @Sendable (DeviceAuthorization) -> Void
  ) {
    self.client = client
    self.scope = scope
    self.scheduler = scheduler
    self.show = show
  }

  /// - Errors: ``SignInError``; ``RESTError`` where the server cannot be asked for a code, or answers with
  ///   what is no token.
  public func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    guard let endpoint = client.server?.deviceAuthorizationEndpoint else {
      return Fail(error: SignInError.notSupported("device_authorization_endpoint"))
        .eraseToAnyPublisher()
    }
    return Deferred {
      let begin = scheduler.now
      return client.answer(to: scope.map { [.init(name: "scope", value: $0)] } ?? [], at: endpoint)
        .tryMap { try Self.read($0) }
        .mapError { SignInRefusal.error(of: $0, hiding: client.secrets) }
        .flatMap { answer in
          let left = answer.authorization.lifetime - (scheduler.now - begin)
          show(answer.authorization)
          return Expiring(
            token(for: answer, at: now), after: left, scheduler: scheduler
          ) { SignInError.expired }
        }
    }
    .eraseToAnyPublisher()
  }

  private static func read(_ response: RESTResponse) throws -> DeviceAnswer {
    do {
      return try response.decoded()
    } catch {
      throw (error.underlyingError as? SignInError) ?? error
    }
  }

  /// Asks until there is an answer that ends it.
  private func token(
    for answer: DeviceAnswer, at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    let pace = Lock(DevicePace(interval: answer.interval))
    let pause = Deferred {
      Just(()).delay(for: pace.withLock { $0.interval }, scheduler: scheduler)
    }
    let question = Deferred {
      let date = now()
      return client.tokenAnswer(
        to: .grant(
          "urn:ietf:params:oauth:grant-type:device_code", [("device_code", answer.deviceCode)])
      )
      .map { [scope] in Credential($0, issuedAt: date, scope: scope) }
      .mapError { SignInRefusal.error(of: $0, hiding: client.secrets + [answer.deviceCode]) }
    }
    return
      pause
      .setFailureType(to: (any Error).self)
      .flatMap { question }
      .retryOn(
        { error in pace.withLock { $0.goesOn(after: error) } }, retries: .max,
        chainedPublisher: Empty<Never, any Error>()
      )
      .mapError { SignInError.expiry($0) ?? $0 }
      .eraseToAnyPublisher()
  }
}

extension SignInError {
  /// What the server calls an expired code is one.
  fileprivate static func expiry(_ error: any Error) -> SignInError? {
    guard case SignInError.refused(let refusal) = error, refusal.code == "expired_token" else {
      return nil
    }
    return .expired
  }
}
