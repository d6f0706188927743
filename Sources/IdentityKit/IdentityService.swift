import Foundation
import RESTKit
import Streams

/// A service that fetches the profile of the signed-in user, and continues to work when access
/// tokens expire.
///
/// ```swift
/// let identity = IdentityService(baseURL: "https://id.example.com")
/// try identity.signIn(Credential(accessToken: access, refreshToken: refresh))
/// identity.fetchProfile
///   .sink { result in print(result) }
///   .store(in: &cancellables)
/// ```
public struct IdentityService: Sendable {
  /// The session of the user, to share with other services:
  /// `identity.session.authorize(shop.get(endpoint: "orders"))`.
  public let session: TokenSession

  private let api: IdentityAPI
  private let scheduler: any Scheduler

  /// Makes a service with a session of its own, which refreshes tokens with `JSONRefreshGrant`.
  ///
  /// The session ends when the identity API refuses a refresh with 401, its answer to a refresh
  /// token that is dead, or with `invalid_grant` (RFC 6749 §5.2).
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of the identity API, of which the service uses `GET me` and
  ///     `POST auth/refresh`.
  ///   - transport: The transport of its requests.
  ///   - tokens: The store of the credential.
  ///   - scheduler: The scheduler that delivers results.
  public init(
    baseURL: String, transport: any Transport = .shared,
    tokens: any TokenStore = MemoryTokenStore(), deliveringOn scheduler: any Scheduler = .mainActor
  ) {
    let grant = JSONRefreshGrant(
      baseURL: baseURL, finalRefusals: .status(401), transport: transport)
    self.init(
      baseURL: baseURL, transport: transport, session: TokenSession(grant: grant, store: tokens),
      deliveringOn: scheduler)
  }

  /// Makes a service with an existing session.
  ///
  /// - Parameters:
  ///   - baseURL: The base URL of the identity API, of which the service uses `GET me`.
  ///   - transport: The transport of its requests.
  ///   - session: The session of the user.
  ///   - scheduler: The scheduler that delivers results.
  public init(
    baseURL: String, transport: any Transport = .shared, session: TokenSession,
    deliveringOn scheduler: any Scheduler = .mainActor
  ) {
    api = IdentityAPI(baseURL: baseURL, transport: transport)
    self.session = session
    self.scheduler = scheduler
  }

  /// Signs in with a credential, which the calls that follow use.
  ///
  /// - Throws: The error of the token store.
  public func signIn(_ credential: Credential) throws {
    try session.signIn(credential)
  }

  /// Signs out and forgets the credential.
  ///
  /// A refresh that ends later does not bring it back.
  ///
  /// - Throws: The error of the token store.
  public func signOut() throws {
    try session.signOut()
  }

  /// A publisher of the signed-in user's profile.
  ///
  /// Each subscription sends `GET me` with the current access token. After a 401, the session
  /// refreshes the token once for all its calls, and the request is sent once more. A second 401 is
  /// final. The publisher delivers one value on the service's scheduler, and then finishes.
  public var fetchProfile: AnyPublisher<Result<User.Profile, FetchProfileError>, Never> {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .apiTimestamp
    return session.authorize(api.me)
      .unwrapResultJSON()
      .decode(type: User.Profile.self, decoder: decoder)
      .map { Result<User.Profile, FetchProfileError>.success($0) }
      .catch { Just(.failure(FetchProfileError($0))) }
      .receive(on: scheduler)
      .eraseToAnyPublisher()
  }
}

/// The requests of an identity API, except those for its tokens.
private struct IdentityAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport

  /// Requests the profile of the signed-in user.
  var me: AnyPublisher<RESTResponse, any Error> {
    self.get(endpoint: "me") { $0.acceptingJSON().sendingJSON() }
  }
}
