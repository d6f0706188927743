import Foundation
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
  private let api: IdentityAPI
  private let tokens: any TokenStore
  private let scheduler: any Scheduler

  /// - Parameters:
  ///   - baseURL: Where the identity API lives: `GET me` and `POST auth/refresh` are below it.
  ///   - transport: What carries its requests.
  ///   - tokens: Where the credential is kept.
  ///   - scheduler: Where results are delivered.
  public init(
    baseURL: String, transport: any Transport = .shared,
    tokens: any TokenStore = MemoryTokenStore(), deliveringOn scheduler: any Scheduler = .mainActor
  ) {
    api = IdentityAPI(baseURL: baseURL, transport: transport)
    self.tokens = tokens
    self.scheduler = scheduler
  }

  /// Keeps a credential for the calls to come.
  ///
  /// - Throws: What the token store throws.
  public func signIn(_ credential: Credential) throws {
    try tokens.write(credential)
  }

  /// Forgets the credential.
  ///
  /// A refresh that ends later does not bring it back.
  ///
  /// - Throws: What the token store throws.
  public func signOut() throws {
    try tokens.write(nil)
  }

  /// The profile of who is signed in.
  ///
  /// Each subscription asks the server: `GET me` with the access token of that moment. On a 401 the
  /// token is refreshed and the request sent once more; a second 401 is final. One value comes, on
  /// the scheduler this service delivers on, then the end.
  public var fetchProfile: AnyPublisher<Result<User.Profile, FetchProfileError>, Never> {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .apiTimestamp
    return
      me
      .retryOnceOnUnauthorizedResponse(chainedRequest: refresh)
      .unwrapResultJSON()
      .decode(type: User.Profile.self, decoder: decoder)
      .map { Result<User.Profile, FetchProfileError>.success($0) }
      .catch { Just(.failure(FetchProfileError($0))) }
      .receive(on: scheduler)
      .eraseToAnyPublisher()
  }

  /// `GET me` with the access token that is stored when it is subscribed.
  private var me: AnyPublisher<RESTResponse, any Error> {
    Deferred { [self] in
      signedInCredential.publisher
        .mapError { $0 as any Error }
        .flatMap { credential in
          api.get(endpoint: "me") {
            $0.addingBearerAuthorization(token: credential.accessToken)
              .acceptingJSON().sendingJSON()
          }
        }
    }
    .eraseToAnyPublisher()
  }

  private var signedInCredential: Result<Credential, FetchProfileError> {
    Result { try tokens.read() }
      .mapError { .tokenStore($0) }
      .flatMap { $0.map { .success($0) } ?? .failure(.signedOut) }
  }

  /// Buys a new access token with the refresh token, and stores it before it completes.
  private var refresh: AnyPublisher<Void, any Error> {
    Deferred { [self] in
      signedInCredential
        .flatMap { credential in
          credential.refreshToken == nil
            ? .failure(.refreshFailed(RefreshError.noRefreshToken)) : .success(credential)
        }
        .publisher
        .mapError { $0 as any Error }
        .flatMap { credential in
          api.refresh(credential)
            .tryMap { try store($0, refreshing: credential) }
            .mapError { FetchProfileError.refreshFailed($0) as any Error }
        }
    }
    .eraseToAnyPublisher()
  }

  private func store(_ answer: IdentityAPI.RefreshAnswer, refreshing old: Credential) throws {
    let accessToken = answer.accessToken.trimmingCharacters(in: .whitespacesAndNewlines)
    guard !accessToken.isEmpty else { throw RefreshError.emptyAccessToken }
    let new = Credential(
      accessToken: accessToken, refreshToken: answer.refreshToken ?? old.refreshToken)
    guard try tokens.replace(old, with: new) else { throw RefreshError.credentialChanged }
  }
}
