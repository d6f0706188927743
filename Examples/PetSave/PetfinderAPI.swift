public import Dispatch
public import Foundation
public import RESTKit
public import Streams

/// The API of the shelters.
///
/// It requests a token when the first request needs one. It stores the token with its expiry and
/// uses it until then, even after the next launch of the app.
public struct PetfinderAPI: RESTAPI {
  public let baseURL: String
  public let transport: any Transport
  public let session: TokenSession?

  /// - Parameters:
  ///   - id: The API key.
  ///   - secret: The secret of the API key.
  ///   - tokens: The store that keeps the token from launch to launch.
  ///   - baseURL: The base URL of the API.
  ///   - transport: The transport that sends the requests.
  ///   - scheduler: The scheduler of the session.
  ///   - date: A closure that returns the wall clock's time, for the expiry of tokens.
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

  /// Returns a publisher of all pages of animals, each of which is fetched on demand.
  public func animals(_ request: AnimalsRequest) -> AnyPublisher<[Animal], any Error> {
    pages(from: request) { $0.next(after: $1) }.map(\.animals).eraseToAnyPublisher()
  }
}
