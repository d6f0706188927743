import Dispatch
import Foundation
import RESTKit
import Streams

/// A grant that signs a user in on a device without a browser or a good keyboard (RFC 8628).
///
/// The user opens a page on another device and enters a code there.
///
/// ```swift
/// let grant = DeviceAuthorizationGrant(client, scope: "orders") { print($0) }
/// try await session.signIn(with: grant).value
/// ```
///
/// The grant polls the server until the user has agreed. The interval is the server's, or 5 seconds
/// if the server sends none. Each `slow_down` adds 5 seconds. If the network or the server fails,
/// the sign-in continues: the wait for the next poll doubles with each failure in a row, up to one
/// minute, and is at least the server's `Retry-After` (§3.5). When the code expires, the sign-in
/// fails with `SignInError.expired`.
public struct DeviceAuthorizationGrant: SignInGrant {
  private let client: OAuthClient
  private let scope: String?
  private let scheduler: KeptScheduler
  private let show: @Sendable (DeviceAuthorization) -> Void

  /// - Parameters:
  ///   - client: The client that signs the user in. Its server needs a
  ///     `device_authorization_endpoint`.
  ///   - scope: The requested scope, or nil for the server's default.
  ///   - scheduler: The scheduler that times the polls and the code's expiry; nil for a queue, and
  ///     in a test on virtual time for the test's scheduler.
  ///   - show: A closure that shows the instructions to the user. It runs once for each sign-in,
  ///     where the transport delivers.
  public init(
    _ client: OAuthClient, scope: String? = nil,
    scheduler: (any Scheduler)? = nil,
    show: @escaping @Sendable (DeviceAuthorization) -> Void
  ) {
    self.client = client
    self.scope = scope
    self.scheduler = KeptScheduler(
      scheduler, else: DispatchQueue(label: "RESTKit.DeviceAuthorizationGrant"))
    self.show = show
  }

  /// - Errors: `SignInError`, or `RESTError` if the request for a code fails or the server's
  ///   response is not a token.
  public func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    guard let endpoint = client.server?.deviceAuthorizationEndpoint else {
      return Fail(error: SignInError.notSupported("device_authorization_endpoint"))
        .eraseToAnyPublisher()
    }
    return Deferred {
      let scheduler = scheduler.timing("DeviceAuthorizationGrant")
      let begin = scheduler.now
      return client.answer(to: scope.map { [.init(name: "scope", value: $0)] } ?? [], at: endpoint)
        .tryMap { try Self.read($0) }
        .mapError { SignInRefusal.error(of: $0, hiding: client.secrets) }
        .flatMap { answer in
          let left = answer.authorization.lifetime - (scheduler.now - begin)
          show(answer.authorization)
          return Expiring(
            token(for: answer, on: scheduler, at: now), after: left, scheduler: scheduler
          ) { SignInError.expired }
        }
    }
    .eraseToAnyPublisher()
  }

  private static func read(_ response: RESTResponse) throws -> DeviceResponse {
    do {
      return try response.decoded()
    } catch {
      throw (error.underlyingError as? SignInError) ?? error
    }
  }

  /// Polls until a response ends the sign-in.
  private func token(
    for answer: DeviceResponse, on scheduler: any Scheduler,
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    let pace = Lock(DevicePace(interval: answer.interval))
    let pause = Deferred {
      Just(()).delay(for: pace.withLock { $0.wait }, scheduler: scheduler)
    }
    let question = Deferred {
      let date = now()
      return client.tokenResponse(
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
  /// Returns the error for a code that the server reports as expired, or nil for other errors.
  fileprivate static func expiry(_ error: any Error) -> SignInError? {
    guard case SignInError.refused(let refusal) = error, refusal.code == "expired_token" else {
      return nil
    }
    return .expired
  }
}

/// The rate at which a device polls (RFC 8628 §3.5).
struct DevicePace: Sendable {
  /// The time until the next poll.
  private(set) var wait: Duration
  /// The time between two polls that the server answers.
  private var interval: Duration
  /// The time between two polls of which the first one has failed.
  private var backoff: Duration

  /// The longest time between two polls that failures alone can cause.
  static let longestAfterFailures = Duration.seconds(60)
  /// The time that a `slow_down` adds.
  static let step = Duration.seconds(5)

  init(interval: Duration) {
    wait = interval
    self.interval = interval
    backoff = interval
  }

  /// Chooses the wait for the next poll after one has failed.
  ///
  /// - Returns: Whether to poll again.
  mutating func goesOn(after error: any Error) -> Bool {
    switch error {
    case SignInError.refused(let refusal):
      if refusal.code == "slow_down" { interval += Self.step }
      (wait, backoff) = (interval, interval)
      return refusal.code == "authorization_pending" || refusal.code == "slow_down"
    case let error as RESTError where Self.isPassing(error):
      backoff = max(interval, min(backoff * 2, Self.longestAfterFailures))
      wait = max(backoff, error.response?.headers.retryAfter() ?? .zero)
      return true
    default:
      return false
    }
  }

  private static func isPassing(_ error: RESTError) -> Bool {
    switch error.kind {
    case .transport(let kind): isPassing(kind)
    // The body would have told what is refused.
    case .status where error.underlyingError is TransportError:
      (error.underlyingError as? TransportError).map { isPassing($0.kind) } == true
    case .status(let code): code == 408 || code == 429 || code >= 500
    default: false
    }
  }

  private static func isPassing(_ kind: TransportError.Kind) -> Bool {
    switch kind {
    case .hostNotFound, .connectionRefused, .connectFailed, .connectionClosedBeforeResponse,
      .connectionReset, .bodyCut, .timedOut, .sendFailed:
      true
    default:
      false
    }
  }
}
