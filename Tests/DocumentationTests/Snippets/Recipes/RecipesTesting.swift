import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing
import XCTest

extension Recipes {
  func sequence() -> StubTransport {
    // snippet: sequence
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(.get, path: "/orders"), statusCode: 503)
        .repeats(2)
        .thenRespondWith(
          request: StubRequest(.get, path: "/orders"),
          result: .json(#"[{"id": 7, "sku": "A-1"}]"#)))
    // end
    return stubs
  }

  // snippet: local-server
  func tryLocally() async throws -> [Order] {
    let server = try MockServer { request in
      request.path == "/orders"
        ? .json(#"[{"id": 7, "sku": "A-1"}]"#) : MockResponse(status: 404)
    }
    defer { server.stop() }
    let shop = ShopAPI(baseURL: server.baseURL)
    return try await shop.get(endpoint: "orders").decode(type: [Order].self).value
  }
  // end
}

@Suite(.stubs)
struct RecipesForTests {
  typealias ShopAPI = Recipes.ShopAPI
  typealias PlaceOrder = Recipes.PlaceOrder
  typealias Order = Recipes.Order
  typealias OrderList = Recipes.OrderList
  typealias TypedChatAPI = Recipes.TypedChatAPI
  typealias ChatFailure = Recipes.ChatFailure
  typealias Join = Recipes.Join

  // snippet: typed-failure-test
  @Test("A join that the server refuses fails with the server's code")
  func refusedJoin() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, path: "/v3/join/!a"), statusCode: 403,
        result: .json(#"{"errcode": "M_FORBIDDEN"}"#)))
    let chat = TypedChatAPI(transport: stubs)
    let failure = await #expect(throws: ChatFailure.self) {
      try await chat.send(Join(room: "!a"))
    }
    guard case .refused(let code) = failure else { throw try #require(failure) }
    #expect(code == "M_FORBIDDEN")
  }
  // end

  // snippet: view-model-test
  @Test("A list shows its orders, and keeps them when the next call fails")
  @MainActor
  func list() async {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, path: "/orders"), result: .json(#"[{"id": 7, "sku": "A-1"}]"#)
      )
      .thenRespondWith(request: StubRequest(.get, path: "/orders"), statusCode: 503))
    let list = OrderList(shop: ShopAPI(baseURL: "https://shop.example.com", transport: stubs))

    await list.load()
    #expect(list.orders == [Order(id: 7, sku: "A-1")])

    await list.load()
    #expect(list.orders == [Order(id: 7, sku: "A-1")])
    #expect(list.problem?.contains("503 Service Unavailable") == true)
    #expect(!list.isLoading)
  }
  // end

  // snippet: timeout
  @Test("A call to a server that is silent for a minute fails")
  func silence() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(.get, path: "/orders"), result: .fault(.stall)),
      scheduler: scheduler)
    let shop = ShopAPI(baseURL: "https://shop.example.com", transport: stubs)
    let response = TestSubscriber<RESTResponse, any Error>()
    shop.get(endpoint: "orders").subscribe(response)

    scheduler.advance(by: .seconds(59))
    #expect(response.completion == nil)
    scheduler.advance(by: .seconds(1))
    #expect((response.failure as? RESTError)?.kind == .transport(.timedOut))
  }
  // end

  // snippet: offline
  @Test("Without a network, the error is hostNotFound")
  func offline() async {
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(), result: .fault(.hostNotFound)))
    let shop = ShopAPI(baseURL: "https://shop.example.com", transport: stubs)

    let error = await #expect(throws: RESTError.self) {
      try await shop.get(endpoint: "orders").value
    }
    #expect(error?.kind == .transport(.hostNotFound))
  }
  // end

  // snippet: sent
  @Test("An order is sent as JSON with the token")
  func sent() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, urlString: "https://shop.example.com/orders")
          .header("Authorization", "Bearer token-1")
          .jsonBody(#"{"id": 7, "sku": "A-1"}"#),
        statusCode: 201, result: .json(#"{"id": 7, "sku": "A-1"}"#)))
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: stubs))
    try session.signIn(Credential(accessToken: "token-1"))
    let shop = ShopAPI(
      baseURL: "https://shop.example.com", transport: stubs, session: session)

    _ = try await shop.send(PlaceOrder(order: Order(id: 7, sku: "A-1")))
  }
  // end
}

// snippet: xctest
nonisolated class StubbedTestCase: XCTestCase {
  override func invokeTest() {
    StubTransport.verifyingAll {
      super.invokeTest()
    } report: { failure in
      XCTFail("\(failure)", file: failure.location.filePath, line: failure.location.line)
    }
  }
}

final class OrderTestCase: StubbedTestCase {
  func testOrders() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(.get, path: "/orders"), result: .json("[]")))
    let shop = ShopAPI(baseURL: "https://shop.example.com", transport: stubs)
    let orders = try await shop.get(endpoint: "orders").decode(type: [Order].self).value
    XCTAssertTrue(orders.isEmpty)
  }
}
// end

extension OrderTestCase {
  typealias ShopAPI = Recipes.ShopAPI
  typealias Order = Recipes.Order
}
