public import Dispatch
public import Foundation
public import RESTKit
public import Streams

/// The API of the shelters: a token is bought when the first request needs one, stored with its end,
/// and used until then, also by the next launch of the app.
public struct PetfinderAPI: RESTAPI {
  public let baseURL: String
  public let transport: any Transport
  public let session: TokenSession?

  /// - Parameters:
  ///   - id: What the API calls its key.
  ///   - secret: What proves that the key is ours.
  ///   - tokens: Where the token is kept from launch to launch.
  ///   - baseURL: Where the API is.
  ///   - transport: What carries its requests.
  ///   - scheduler: What times the session.
  ///   - date: The wall clock, for the end of tokens.
  public init(
    id: String, secret: String, tokens: any TokenStore,
    baseURL: String = "https://api.petfinder.com/v2", transport: any Transport = .shared,
    scheduler: any Scheduler = DispatchQueue(label: "PetSave"),
    date: @escaping @Sendable () -> Date = { Date() }
  ) {
    self.baseURL = baseURL
    self.transport = transport
    let client = OAuthClient(
      tokenEndpoint: baseURL + "/oauth2/token", id: id, authentication: .form(secret: secret),
      transport: transport)
    session = TokenSession(
      grant: ClientCredentialsGrant(client), store: tokens, scheduler: scheduler, date: date)
  }

  /// All pages of an answer, each fetched when it is asked for.
  public func animals(_ request: AnimalsRequest) -> AnyPublisher<[Animal], any Error> {
    pages(from: request) { $0.next(after: $1) }.map(\.animals).eraseToAnyPublisher()
  }
}
