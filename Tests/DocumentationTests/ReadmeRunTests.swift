import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The examples of README.md run", .leakFree)
struct ReadmeRunTests {
  private static let orders = StubRequest(
    .get, urlString: "https://shop.example.com/v1/orders")
  private static let unlock = StubRequest(
    .post, urlString: "https://shop.example.com/v1/unlock")

  private func bearers(of stubs: StubTransport) -> [String?] {
    stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") }
  }

  @Test("The shop's orders arrive after one refresh by its session")
  func session() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Self.orders, statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://id.example.com/auth/refresh"),
          result: .json(#"{"result": {"accessToken": "fresh"}}"#)
        )
        .thenRespondWith(request: Self.orders, result: .json(#"[{"id": 7, "total": 12.5}]"#)))
    let shop = try makeShop(access: "expired", refresh: "refresh-1", transport: stubs)
    #expect(try await fetchOrders(of: shop).map(\.id) == [7])
    #expect(bearers(of: stubs) == ["Bearer expired", nil, "Bearer fresh"])
    try stubs.verify()
  }

  @Test("By hand, the second request carries the token of the refresh")
  func byHand() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Self.orders, statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://shop.example.com/v1/auth/refresh"),
          result: .json(#"{"result": {"accessToken": "fresh"}}"#)
        )
        .thenRespondWith(request: Self.orders, result: .json(#"[{"id": 7, "total": 12.5}]"#)))
    let api = OrdersAPI(
      baseURL: "https://shop.example.com/v1", transport: stubs,
      token: CurrentValueSubject("expired"))
    #expect(try await api.orders().value.map(\.id) == [7])
    #expect(bearers(of: stubs) == ["Bearer expired", nil, "Bearer fresh"])
    #expect(api.token.value == "fresh")
    try stubs.verify()
  }

  /// How many refreshes twenty calls at once make.
  private func refreshes(
    at url: String, _ orders: (StubTransport) throws -> AnyPublisher<[Order], any Error>
  ) throws -> Int {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: Self.orders, statusCode: 401, delay: .seconds(1)).repeats(20)
        .thenRespondWith(request: Self.orders, result: .json("[]"), delay: .seconds(1)).repeats(20),
      StubAPIResponse(
        request: .init(.post, urlString: url),
        result: .json(#"{"result": {"accessToken": "fresh"}}"#),
        delay: .seconds(1)
      ).always(),
      scheduler: scheduler)
    let call = try orders(stubs)
    let calls = (1...20).map { _ in
      let subscriber = TestSubscriber<[Order], any Error>()
      call.receive(subscriber: subscriber)
      return subscriber
    }
    scheduler.advance(by: .seconds(10))
    #expect(calls.allSatisfy { $0.values.count == 1 })
    try stubs.verify()
    return stubs.requests.filter { $0.url?.absoluteString == url }.count
  }

  @Test("Twenty concurrent calls make twenty refreshes by hand, and one with a session")
  func refreshes() throws {
    let byHand = try refreshes(at: "https://shop.example.com/v1/auth/refresh") { stubs in
      OrdersAPI(
        baseURL: "https://shop.example.com/v1", transport: stubs,
        token: CurrentValueSubject("expired")
      ).orders()
    }
    let withSession = try refreshes(at: "https://id.example.com/auth/refresh") { stubs in
      try makeShop(access: "expired", refresh: "refresh-1", transport: stubs)
        .get(endpoint: "orders").decode(type: [Order].self).eraseToAnyPublisher()
    }
    #expect(byHand == 20)
    #expect(withSession == 1)
  }

  @Test("retryOn with a status runs the chained request before each attempt")
  func retryOn() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Self.orders, statusCode: 423)
        .thenRespondWith(request: Self.unlock)
        .thenRespondWith(request: Self.orders, statusCode: 423)
        .thenRespondWith(request: Self.unlock)
        .thenRespondWith(request: Self.orders))
    let api = OrdersAPI(
      baseURL: "https://shop.example.com/v1", transport: stubs, token: CurrentValueSubject("valid"))
    #expect(try await api.ordersUnlocked().value.statusCode == 200)
    try stubs.verify()
  }
}
