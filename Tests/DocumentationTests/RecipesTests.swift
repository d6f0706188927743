import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The recipes of Docs/Recipes.md for calls", .leakFree, .stubs)
struct CallRecipesTests {
  typealias Order = Recipes.Order

  @Test("Requests are sent as the recipes say")
  func requests() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.post, "orders").jsonBody(#"{"id": 7, "sku": "A-1"}"#)
          .header("Content-Type", "application/json"),
        statusCode: 201, result: .json(#"{"id": 7, "sku": "A-1"}"#)),
      StubAPIResponse(
        request: Recipes.request(.post, "login").formBody(["user": "ada", "remember": "true"])),
      StubAPIResponse(request: Recipes.request(.get, "orders").header("Accept-Language", "de-AT")),
      StubAPIResponse(
        request: Recipes.request(.get, "orders?tag=new%20%26%20good&tag=50%25&page=2")),
      StubAPIResponse(
        request: Recipes.request(.get, "orders?ids%5B%5D=7&ids%5B%5D=3&sort=date")),
      StubAPIResponse(
        request: Recipes.request(.get, "volumes")
          .query(["filters": #"{"label":["a+b=c"]}"#]),
        result: .json("[]")),
      StubAPIResponse(
        request: Recipes.request(.post, "charges").formBody(["id": "7", "sku": "A-1"])),
      StubAPIResponse(
        request: Recipes.request(.post, "login")
          .jsonBody(#"{"type": "m.login.password", "user": {"id": 7}}"#),
        result: .json(#"{"device": {"id": "d1"}}"#)),
      StubAPIResponse(request: Recipes.request(.get, "users/a%2Fb/files/q%26a.pdf")),
      StubAPIResponse(
        request: Recipes.request(.get, "report").matching("five minutes") {
          $0.timeoutInterval == 300
        }),
      StubAPIResponse(request: Recipes.request(HTTPMethod("PURGE"), "catalog")))
    let recipes = Recipes(over: stubs)
    #expect(try await recipes.place(Order(id: 7, sku: "A-1")).sku == "A-1")
    _ = try await recipes.form().value
    _ = try await recipes.header().value
    _ = try await recipes.query().value
    _ = try await recipes.query(ofLists: [7, 3]).value
    _ = try await recipes.shop.send(Recipes.Volumes(labels: ["a+b=c"]))
    _ = try await recipes.encodedForm(of: Order(id: 7, sku: "A-1")).value
    #expect(try await recipes.jsonValue().value == "d1")
    #expect(try await recipes.shop.send(Recipes.File(owner: "a/b", name: "q&a")).isSuccess)
    _ = try await recipes.time().value
    _ = try await recipes.purge().value
  }

  @Test("Responses are read as the recipes say")
  func responses() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "shipments/1"),
        result: .json(#"{"leaves_at": "2026-01-02T03:04:05Z"}"#)),
      StubAPIResponse(
        request: Recipes.request(.get, "photos/1.jpg"), result: .success(Data([255, 216]))),
      StubAPIResponse(request: Recipes.request(.get, "photos/2.jpg"), statusCode: 404),
      StubAPIResponse(request: Recipes.request(.delete, "orders/7"), statusCode: 204),
      StubAPIResponse(
        request: Recipes.request(.get, "orders"), headers: ["X-Total-Count": "41"],
        result: .json("[]")),
      StubAPIResponse(request: Recipes.request(.get, "orders/8"), statusCode: 404)
        .thenRespondWith(
          request: Recipes.request(.get, "orders/8"), result: .json(#"{"id": 8, "sku": "B"}"#)),
      StubAPIResponse(
        request: Recipes.request(.post, "reservations"), statusCode: 409,
        result: .json(#"{"code": "sold-out", "field": "sku"}"#)
      )
      .thenRespondWith(request: Recipes.request(.post, "reservations"), statusCode: 500))
    let recipes = Recipes(over: stubs)
    let shipment = try await recipes.shop.send(Recipes.ShipmentByID(id: 1))
    #expect(shipment.leavesAt == Date(timeIntervalSince1970: 1_767_323_045))
    #expect(try await recipes.shop.send(Recipes.Photo(id: 1)) == Data([255, 216]))
    await #expect(throws: RESTError.self) {
      try await recipes.shop.send(Recipes.Photo(id: 2))
    }
    try await recipes.shop.send(Recipes.DeleteOrder(id: 7))
    #expect(try await recipes.shop.send(Recipes.CountedOrders()).total == 41)
    #expect(try await recipes.order(8).value == nil)
    #expect(try await recipes.order(8).value?.sku == "B")
    await #expect(throws: Recipes.ShopError(code: "sold-out", field: "sku")) {
      try await recipes.reserve(Data()).value
    }
    await #expect(throws: RESTError.self) { try await recipes.reserve(Data()).value }
  }

  @Test("The error contains the server's message")
  func errorBody() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "orders"), statusCode: 422,
        headers: ["Content-Type": "application/problem+json"],
        result: .json(#"{"title": "Bad", "detail": "No such page"}"#)
      )
      .thenRespondWith(
        request: Recipes.request(.get, "orders"), statusCode: 400, result: .json("no")))
    let recipes = Recipes(over: stubs)
    var explanations: [String?] = []
    for _ in 1...2 {
      do {
        _ = try await recipes.shop.get(endpoint: "orders").validateStatus().value
      } catch {
        explanations.append(recipes.explanation(of: error))
      }
    }
    #expect(explanations == ["No such page", "no"])
  }

  @Test("A response is counted as it arrives")
  func asItComes() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Recipes.request(.get, "log"), result: .success(Data("a\nb\n".utf8)))
        .thenRespondWith(request: Recipes.request(.get, "log"), statusCode: 404))
    #expect(try await Recipes(over: stubs).linesOfLog().value == 2)
    await #expect(throws: Recipes.NoLog.self) {
      try await Recipes(over: stubs).linesOfLog().value
    }
  }

  @Test("Only a 503 is retried, and a POST with a key is sent twice with the same key")
  func retries() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Recipes.request(.get, "orders"), statusCode: 500),
      StubAPIResponse(request: Recipes.request(.post, "orders"), statusCode: 503)
        .thenRespondWith(request: Recipes.request(.post, "orders"), statusCode: 201))
    #expect(try await Recipes(over: stubs).patientOrders().value.statusCode == 500)
    var shop = Recipes(over: stubs).keyed(baseURL: Recipes.host, transport: stubs)
    shop.retry?.maxDelay = .zero
    _ = try await shop.post(endpoint: "orders", body: .data(Data("{}".utf8))).value
    let keys = stubs.requests.compactMap { $0.value(forHTTPHeaderField: "Idempotency-Key") }
    #expect(keys.count == 2 && Set(keys).count == 1)
  }

  @Test("A job is polled until it is done, and a list every minute")
  func polls() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "jobs/1"), result: .json(#"{"isDone": false}"#)
      )
      .repeats(2)
      .thenRespondWith(
        request: Recipes.request(.get, "jobs/1"), result: .json(#"{"isDone": true}"#)),
      StubAPIResponse(request: Recipes.request(.get, "orders"), result: .json("[]")).repeats(3))
    let job = TestSubscriber<Recipes.Job, any Error>()
    Recipes(over: stubs).finished(1, scheduler: scheduler).subscribe(job)
    scheduler.advance(by: .seconds(3))
    #expect(job.values.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(job.values.count == 1)

    let orders = TestSubscriber<[Order], Never>()
    Recipes(over: stubs).watch(scheduler: scheduler).subscribe(orders)
    #expect(orders.values == [[]])
    scheduler.advance(by: .seconds(120))
    orders.cancel()
    #expect(orders.values == [[]])
  }

  @Test("The recipes cover a list of calls, the fastest of several mirrors, and revalidation")
  func several() async throws {
    let order = #"{"id": 7, "sku": "A-1"}"#
    let tag: HTTPHeaders = ["ETag": "\"1\""]
    let stubs = StubTransport(
      StubAPIResponse(request: Recipes.request(.get, "orders/7"), result: .json(order)).repeats(2),
      StubAPIResponse(request: Recipes.request(.get, "catalog")),
      StubAPIResponse(
        request: Recipes.request(.get, "orders").withoutHeader("If-None-Match"), headers: tag,
        result: .json("[\(order)]")
      )
      .thenRespondWith(
        request: Recipes.request(.get, "orders").header("If-None-Match", "\"1\""), statusCode: 304,
        headers: tag))
    let recipes = Recipes(over: stubs)
    #expect(try await recipes.orders([7, 7]).value.count == 2)
    let down = Recipes.ShopAPI(
      baseURL: Recipes.host,
      transport: StubTransport(
        StubAPIResponse(request: StubRequest(), result: .fault(.connectionRefused))))
    #expect(try await recipes.catalog(from: [down, recipes.shop]).value.isSuccess)
    let cache = HTTPCache()
    let (first, second) = try await (
      recipes.cached(in: cache).value, recipes.cached(in: cache).value
    )
    #expect(first == second && first.count == 1)
  }
}

@Suite("The recipes of Docs/Recipes.md for sessions", .leakFree, .stubs)
struct SessionRecipesTests {
  private let refresh = StubRequest(.post, urlString: "https://id.example.com/auth/refresh")

  @Test("One refresh serves two services")
  func twoServices() async throws {
    let invoices = StubRequest(.get, urlString: "https://billing.example.com/invoices")
    let place = StubRequest(.post, urlString: "https://shop.example.com/orders")
    let stubs = StubTransport(
      StubAPIResponse(request: invoices, statusCode: 401)
        .thenRespondWith(request: refresh, result: .json(#"{"accessToken": "new"}"#))
        .thenRespondWith(request: invoices.header("Authorization", "Bearer new"))
        .thenRespondWith(
          request: place.header("Authorization", "Bearer new"),
          result: .json(#"{"id": 7, "sku": "A-1"}"#)))
    let account = Recipes.Account(transport: stubs)
    try account.session.signIn(Credential(accessToken: "old", refreshToken: "1"))
    #expect(try await account.invoices.value.isSuccess)
    let placed = try await Recipes(shop: account.shop).place(.init(id: 7, sku: "A-1"))
    #expect(placed.id == 7)
  }

  @Test("A machine fetches its own token, and a code in a body causes a refresh")
  func grants() async throws {
    let orders = Recipes.request(.get, "orders")
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, urlString: "https://id.example.com/token")
          .formBody(containing: ["scope": "orders:read"]),
        result: .json(#"{"access_token": "m", "token_type": "Bearer"}"#)
      )
      .thenRespondWith(request: orders.header("Authorization", "Bearer m"))
      .thenRespondWith(request: orders, result: .json(#"{"code": "token_expired"}"#))
      .thenRespondWith(request: refresh, result: .json(#"{"accessToken": "new"}"#))
      .thenRespondWith(request: orders, result: .json("[]")))
    let recipes = Recipes(over: stubs)
    let machine = recipes.machine(secret: "s", transport: stubs)
    _ = try await machine.authorize(recipes.shop.get(endpoint: "orders")).value
    let lenient = recipes.lenient(
      JSONRefreshGrant(baseURL: "https://id.example.com", transport: stubs))
    try lenient.signIn(Credential(accessToken: "old", refreshToken: "1"))
    let answer = try await lenient.authorize(recipes.shop.get(endpoint: "orders")).value
    #expect(answer.data == Data("[]".utf8))
  }

  @Test("Several processes share a credential in a file")
  func processes() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "credential.json")
    let stubs = StubTransport(
      StubAPIResponse(
        request: Recipes.request(.get, "orders").header("Authorization", "Bearer shared")))
    let recipes = Recipes(over: stubs)
    try recipes.shared(file: file, transport: stubs)
      .signIn(Credential(accessToken: "shared"))
    let other = recipes.shared(file: file, transport: stubs)
    #expect(try await other.authorize(recipes.shop.get(endpoint: "orders")).value.isSuccess)
  }

  @MainActor
  @Test("A sign-in screen appears when the session ends")
  func signedOut() async throws {
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: StubTransport()))
    try session.signIn(Credential(accessToken: "a"))
    let gate = Recipes.Gate(session)
    await Task { @MainActor in }.value
    #expect(!gate.asksToSignIn)
    try session.signOut()
    await Task { @MainActor in }.value
    #expect(gate.asksToSignIn)
  }

  @Test("A custom key does not follow a redirect to another origin")
  func apiKey() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: "https://weather.example.com/today")
          .header("X-Weather-Key", "k"),
        statusCode: 302, headers: ["Location": "https://cdn.example.com/today"]
      )
      .thenRespondWith(
        request: StubRequest(.get, urlString: "https://cdn.example.com/today")
          .withoutHeader("X-Weather-Key")))
    #expect(try await Recipes(over: stubs).keyed("k").value.isSuccess)
  }
}
