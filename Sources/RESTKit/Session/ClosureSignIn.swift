import Foundation
import Streams

/// A sign-in of your own: a closure that asks for the credential.
///
/// ```swift
/// let grant = ClosureSignIn { date in
///   api.post(endpoint: "login", body: .form(["name": name, "password": password]))
///     .decode(type: TokenResponse.self)
///     .map { Credential($0, issuedAt: date, account: name) }
/// }
/// try await session.signIn(with: grant).value
/// ```
///
/// For a response of JSON, ``JSONSignInGrant`` has parameters.
public struct ClosureSignIn: SignInGrant {
  private let request: @Sendable (Date) -> AnyPublisher<Credential, any Error>

  /// - Parameter request: Makes the request of each sign-in. Its argument is the time of the
  ///   request by the session's clock, from which the token's lifetime counts.
  public init<Request: Publisher<Credential, any Error>>(
    request: @escaping @Sendable (_ date: Date) -> Request
  ) {
    self.request = { request($0).eraseToAnyPublisher() }
  }

  /// Creates a sign-in of a request with a failure of its own, which the sign-in passes on.
  ///
  /// - Parameter request: Makes the request of each sign-in. Its argument is the time of the
  ///   request by the session's clock, from which the token's lifetime counts.
  @_disfavoredOverload
  public init<Request: Publisher>(
    request: @escaping @Sendable (_ date: Date) -> Request
  ) where Request.Output == Credential {
    self.request = { request($0).mapError { $0 as any Error }.eraseToAnyPublisher() }
  }

  public func credential(
    at now: @escaping @Sendable () -> Date
  ) -> AnyPublisher<Credential, any Error> {
    Deferred { request(now()) }.eraseToAnyPublisher()
  }
}

/// A revocation of your own: a closure that asks the server to revoke a credential.
///
/// ```swift
/// let revocation = ClosureRevocation { credential in
///   api.post(endpoint: "logout") { $0.addingBearerAuthorization(token: credential.accessToken) }
/// }
/// try await session.signOut(revokingWith: revocation).value
/// ```
public struct ClosureRevocation: TokenRevocation {
  public let requiresAccessToken: Bool
  private let request: @Sendable (Credential) -> AnyPublisher<Void, any Error>

  /// - Parameters:
  ///   - requiresAccessToken: Whether the server refuses the revocation if the access token has
  ///     expired. The session then renews an expired one first.
  ///   - request: Makes the request of each revocation. A response whose status is not 200...299
  ///     is a failure.
  public init<Request: Publisher<RESTResponse, any Error>>(
    requiresAccessToken: Bool = true, request: @escaping @Sendable (Credential) -> Request
  ) {
    self.requiresAccessToken = requiresAccessToken
    self.request = { credential in
      request(credential).validateStatus().map { _ in }.eraseToAnyPublisher()
    }
  }

  /// Creates a revocation of an endpoint without a response, or of several requests.
  ///
  /// - Parameters:
  ///   - requiresAccessToken: Whether the server refuses the revocation if the access token has
  ///     expired. The session then renews an expired one first.
  ///   - request: Makes the requests of each revocation.
  public init<Request: Publisher<Void, any Error>>(
    requiresAccessToken: Bool = true, request: @escaping @Sendable (Credential) -> Request
  ) {
    self.requiresAccessToken = requiresAccessToken
    self.request = { request($0).eraseToAnyPublisher() }
  }

  /// Creates a revocation of requests with any output and any failure, such as those of an
  /// endpoint with a response.
  ///
  /// A ``RESTResponse`` whose status is not 200...299 is a failure here, too.
  ///
  /// - Parameters:
  ///   - requiresAccessToken: Whether the server refuses the revocation if the access token has
  ///     expired. The session then renews an expired one first.
  ///   - request: Makes the requests of each revocation.
  @_disfavoredOverload
  public init<Request: Publisher>(
    requiresAccessToken: Bool = true, request: @escaping @Sendable (Credential) -> Request
  ) {
    self.requiresAccessToken = requiresAccessToken
    self.request = { credential in
      request(credential).mapError { $0 as any Error }
        .tryMap { output in
          if let response = output as? RESTResponse { try response.requireStatus(200...299) }
        }
        .eraseToAnyPublisher()
    }
  }

  public func revocation(of credential: Credential) -> AnyPublisher<Void, any Error> {
    Deferred { request(credential) }.eraseToAnyPublisher()
  }
}
