import Foundation
import RESTKit
import Streams

/// Tells who is signed in, and keeps that working while access tokens expire.
///
/// ```swift
/// let identity = IdentityService(baseURL: "https://id.example.com")
/// try identity.signIn(Credential(accessToken: access, refreshToken: refresh))
/// identity.fetchProfile
///   .sink { result in print(result) }
///   .store(in: &cancellables)
/// ```
public struct IdentityService: Sendable {
  /// The session of who is signed in, to be shared with other services of the user:
  /// `identity.session.authorize(shop.get(endpoint: "orders"))`.
  public let session: TokenSession

  private let api: IdentityAPI
  private let scheduler: any Scheduler

  /// Makes a service with a session of its own, which renews tokens with `JSONRefreshGrant`.
  ///
  /// - Parameters:
  ///   - baseURL: Where the identity API lives: `GET me` and `POST auth/refresh` are below it.
  ///   - transport: What carries its requests.
  ///   - tokens: Where the credential is kept.
  ///   - scheduler: Where results are delivered.
  public init(
    baseURL: String, transport: any Transport = .shared,
    tokens: any TokenStore = MemoryTokenStore(), deliveringOn scheduler: any Scheduler = .mainActor
  ) {
    let grant = JSONRefreshGrant(baseURL: baseURL, transport: transport)
    self.init(
      baseURL: baseURL, transport: transport, session: TokenSession(grant: grant, store: tokens),
      deliveringOn: scheduler)
  }

  /// Makes a service on a session that is there already.
  ///
  /// - Parameters:
  ///   - baseURL: Where the identity API lives: `GET me` is below it.
  ///   - transport: What carries its requests.
  ///   - session: Who is signed in.
  ///   - scheduler: Where results are delivered.
  public init(
    baseURL: String, transport: any Transport = .shared, session: TokenSession,
    deliveringOn scheduler: any Scheduler = .mainActor
  ) {
    api = IdentityAPI(baseURL: baseURL, transport: transport)
    self.session = session
    self.scheduler = scheduler
  }

  /// Keeps a credential for the calls to come.
  ///
  /// - Throws: What the token store throws.
  public func signIn(_ credential: Credential) throws {
    try session.signIn(credential)
  }

  /// Forgets the credential.
  ///
  /// A refresh that ends later does not bring it back.
  ///
  /// - Throws: What the token store throws.
  public func signOut() throws {
    try session.signOut()
  }

  /// The profile of who is signed in.
  ///
  /// Each subscription asks the server: `GET me` with the access token of that moment. On a 401 the
  /// token is refreshed, once for all calls of the session, and the request sent once more; a second
  /// 401 is final. One value comes, on the scheduler this service delivers on, then the end.
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
