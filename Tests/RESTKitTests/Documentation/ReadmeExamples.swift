// The examples of README.md. `ReadmeTests` compares each region below with the block of the same
// name there, so a snippet that drifts fails the tests.
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

// snippet: api
struct ShopAPI: RESTAPI {
  let baseURL: String
  var transport: any Transport = .shared
}

struct Order: Decodable, Sendable {
  let id: Int
  let total: Double
}

extension ShopAPI {
  func orders(page: Int, token: @escaping @Sendable () -> String) -> AnyPublisher<
    [Order], any Error
  > {
    get(endpoint: "orders", query: [URLQueryItem(name: "page", value: "\(page)")]) {
      $0.addingBearerAuthorization(token: token()).acceptingJSON()
    }
    .retryOnceOnUnauthorizedResponse(
      chainedRequest: post(endpoint: "auth/refresh", body: nil).validateStatus()
    )
    .decode(type: [Order].self)
    .eraseToAnyPublisher()
  }
}
// end

// snippet: endpoint
struct OrderByID: Endpoint {
  typealias Response = Order
  let id: Int
  var path: ResourcePath { "orders/\(id)" }
}

extension ShopAPI {
  func order(_ id: Int) async throws -> Order {
    try await send(OrderByID(id: id))
  }
}

// snippet: session
func makeSession(transport: any Transport) -> TokenSession {
  let client = OAuthClient(
    tokenEndpoint: "https://id.example.com/token", id: "shop-app", authentication: .none,
    transport: transport)
  return TokenSession(grant: RefreshTokenGrant(client), store: MemoryTokenStore())
}

extension ShopAPI {
  func myOrders(in session: TokenSession) -> AnyPublisher<[Order], any Error> {
    session.authorize(get(endpoint: "me/orders")).decode(type: [Order].self)
      .eraseToAnyPublisher()
  }
}

// snippet: subscribe
@MainActor
final class ProfileModel {
  private(set) var greeting = "…"
  private var cancellables = Set<AnyCancellable>()
  private let identity: IdentityService

  init(identity: IdentityService) {
    self.identity = identity
  }

  func load() {
    identity.fetchProfile
      .sink(on: .shared) { [weak self] result in
        switch result {
        case .success(let profile): self?.greeting = "Hello, \(profile.firstName)"
        case .failure(let error): self?.greeting = "\(error)"
        }
      }
      .store(in: &cancellables)
  }
}
// end

// snippet: retries
struct StockAPI: RESTAPI {
  let baseURL: String
  var transport: any Transport = .shared
  var retry: RetryPolicy? = RetryPolicy(idempotencyKey: { UUID().uuidString })
}

extension StockAPI {
  func reserve(_ order: Data) -> AnyPublisher<RESTResponse, any Error> {
    post(endpoint: "reservations", body: order) { $0.sendingJSON() }
      .validateStatus()
      .eraseToAnyPublisher()
  }
}
// end

// snippet: transfers
extension ShopAPI {
  func saveCatalog(to file: URL) -> AnyPublisher<DownloadEvent, any Error> {
    download(endpoint: "catalog.tar", to: file)
  }

  func restoreBackup(from file: URL) -> AnyPublisher<UploadEvent, any Error> {
    upload(.put, endpoint: "backup", body: .file(file)) {
      $0.addingBearerAuthorization(token: "…")
    }
  }
}
// end

// snippet: test
@Test("An expired token is refreshed, and the profile fetched with the new one")
func expiredToken() async throws {
  let stubs = StubTransport(
    StubAPIResponse(
      request: .init(.get, urlString: "https://id.example.com/me"), statusCode: 401
    )
    .thenRespondWith(
      request: .init(.post, urlString: "https://id.example.com/auth/refresh"),
      result: .json(#"{"result": {"accessToken": "fresh"}}"#)
    )
    .thenRespondWith(
      request: .init(.get, urlString: "https://id.example.com/me"),
      result: .json(#"{"self": {"firstName": "Ada", "lastName": "Lovelace"}}"#)
    )
    .thenVerifyRequest { request in
      #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer fresh")
    })
  let identity = IdentityService(baseURL: "https://id.example.com", transport: stubs)
  try identity.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))

  let profile = try await identity.fetchProfile.value.get()

  #expect(profile.lastName == "Lovelace")
  try stubs.verify()
}
// end

@Test("The README's order example refreshes once and decodes")
func orders() async throws {
  let stubs = StubTransport(
    StubAPIResponse(
      request: .init(.get, urlString: "https://shop.example.com/v1/orders?page=2"), statusCode: 401
    )
    .thenRespondWith(
      request: .init(.post, urlString: "https://shop.example.com/v1/auth/refresh")
    )
    .thenRespondWith(
      request: .init(.get, urlString: "https://shop.example.com/v1/orders?page=2"),
      result: .json(#"[{"id": 7, "total": 12.5}]"#)))
  let api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: stubs)
  let orders = try await api.orders(page: 2) { "token" }.value
  #expect(orders.map(\.id) == [7])
  try stubs.verify()
}

@Test("The README's endpoint and its session's orders arrive, the latter after a refresh")
func endpointAndSession() async throws {
  let mine = StubRequest(.get, urlString: "https://shop.example.com/v1/me/orders")
  let stubs = StubTransport(
    StubAPIResponse(
      request: .init(.get, urlString: "https://shop.example.com/v1/orders/7"),
      result: .json(#"{"id": 7, "total": 12.5}"#)),
    StubAPIResponse(request: mine, statusCode: 401)
      .thenRespondWith(
        request: .init(.post, urlString: "https://id.example.com/token"),
        result: .json(#"{"access_token": "fresh", "token_type": "Bearer"}"#)
      )
      .thenRespondWith(request: mine, result: .json(#"[{"id": 8, "total": 1}]"#)))
  let api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: stubs)
  #expect(try await api.order(7).id == 7)
  let session = makeSession(transport: stubs)
  try session.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))
  #expect(try await api.myOrders(in: session).value.map(\.id) == [8])
  try stubs.verify()
}

@Test("The README's reservation is sent again with the same key")
func reservation() async throws {
  let request = StubRequest(.post, urlString: "https://stock.example.com/reservations")
  let stubs = StubTransport(
    StubAPIResponse(request: request, statusCode: 503)
      .thenRespondWith(request: request, statusCode: 201))
  var api = StockAPI(baseURL: "https://stock.example.com", transport: stubs)
  api.retry?.maxDelay = .zero

  let response = try await api.reserve(Data("{}".utf8)).value

  #expect(response.statusCode == 201)
  let keys = stubs.requests.compactMap { $0.value(forHTTPHeaderField: "Idempotency-Key") }
  #expect(keys.count == 2 && Set(keys).count == 1)
  try stubs.verify()
}

@Test("The README's model greets who is signed in")
@MainActor
func profileModel() async throws {
  let stubs = StubTransport(
    StubAPIResponse(
      request: .init(.get, urlString: "https://id.example.com/me"),
      result: .json(#"{"self": {"firstName": "Ada", "lastName": "Lovelace"}}"#)))
  let identity = IdentityService(baseURL: "https://id.example.com", transport: stubs)
  try identity.signIn(Credential(accessToken: "valid"))
  let model = ProfileModel(identity: identity)
  model.load()
  // The model's delivery was queued on the main actor before this one.
  _ = try await identity.fetchProfile.value
  #expect(model.greeting == "Hello, Ada")
}
