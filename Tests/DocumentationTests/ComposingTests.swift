import Dispatch
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

@Suite("The examples of Docs/Composing.md work as the guide says", .leakFree, .stubs)
struct ComposingTests {
  private typealias Order = Composing.Order
  private typealias Customer = Composing.Customer

  private static let seven = #"{"id": 7, "customer": 3}"#

  private func request(_ path: String) -> StubRequest {
    StubRequest(.get, urlString: "https://shop.example.com/\(path)")
  }

  private func answer(_ path: String, _ json: String) -> StubAPIResponse {
    StubAPIResponse(request: request(path), result: .json(json))
  }

  private func composing(_ transport: any Transport) -> Composing {
    Composing(shop: .init(baseURL: "https://shop.example.com", transport: transport))
  }

  @Test("Each subscription sends its own request, and no request is sent before")
  func cold() {
    let stubs = StubTransport(answer("orders", "[\(Self.seven)]").repeats(2))
    var composing = composing(stubs)
    let results = PassthroughSubject<[Order], any Error>()
    let seen = TestSubscriber<[Order], any Error>()
    results.subscribe(seen)
    composing.show = { if case .success(let orders) = $0 { results.send(orders) } }
    withExtendedLifetime(composing.cold()) {}
    #expect(stubs.requests.count == 2)
    #expect(seen.values == Array(repeating: [Order(id: 7, customer: 3)], count: 2))
  }

  @Test("The modifier runs for each subscription")
  func modifier() async throws {
    let stubs = StubTransport(answer("orders", "[]").repeats(2))
    let orders = composing(stubs).stamped()
    #expect(stubs.requests.isEmpty)
    _ = try await (orders.value, orders.value)
    let ids = stubs.requests.compactMap { $0.value(forHTTPHeaderField: "X-Request-ID") }
    #expect(Set(ids).count == 2)
  }

  @Test("The operators after receive(on:) run on its scheduler")
  func hop() async throws {
    let stubs = StubTransport(answer("orders", "[\(Self.seven)]"))
    let queue = DispatchQueue(label: "hop")
    let orders = try await composing(stubs).hopping(to: queue)
      .handleEvents(receiveOutput: { _ in dispatchPrecondition(condition: .onQueue(queue)) }).value
    #expect(orders.count == 1)
  }

  @Test("validateStatus turns a status into an error, and an envelope unwraps to its payload")
  func responses() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, urlString: "https://shop.example.com/orders")
          .jsonBody(#"{"customer": 3}"#),
        statusCode: 409),
      answer("orders/7", #"{"status": "ok", "result": \#(Self.seven)}"#))
    let composing = composing(stubs)
    let error = await #expect(throws: RESTError.self) {
      try await composing.placing(["customer": 3]).value
    }
    #expect(error?.kind == .status(409))
    #expect(try await composing.unwrapped().value == Order(id: 7, customer: 3))
  }

  @Test("Calls can depend on each other, be independent, or have a limit")
  func several() async throws {
    let ada = #"{"id": 3, "name": "Ada"}"#
    let stubs = StubTransport(
      answer("orders/7", Self.seven), answer("customers/3", ada).repeats(3),
      answer("customers/7", ada), answer("orders", "[]"), answer("customers/4", ada).repeats(2))
    let composing = composing(stubs)
    #expect(try await composing.chained().value == Customer(id: 3, name: "Ada"))
    let (orders, customer) = try await composing.both().value
    #expect(orders.isEmpty && customer.name == "Ada")
    #expect(try await composing.limited([3, 4]).allValues.count == 2)
    #expect(try await composing.ordered([3, 4]).allValues.map(\.id) == [3, 3])
  }

  @Test("At most four calls of a list run at a time")
  func limit() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, path: "/customers/*"),
        result: .json(#"{"id": 3, "name": "Ada"}"#), delay: .seconds(1)
      ).repeats(6), scheduler: scheduler)
    let customers = TestSubscriber<Customer, any Error>()
    composing(stubs).limited(Array(1...6)).subscribe(customers)
    #expect(stubs.requests.count == 4)
    scheduler.advance(by: .seconds(1))
    #expect(stubs.requests.count == 6)
    scheduler.advance(by: .seconds(1))
    #expect(customers.values.count == 6)
  }

  @Test("Without a network the saved orders are delivered, and another failure passes")
  func fallback() async throws {
    let saved = [Order(id: 1, customer: 1)]
    let stubs = StubTransport(
      StubAPIResponse(request: request("orders"), result: .fault(.connectionRefused))
        .thenRespondWith(request: request("orders"), statusCode: 500))
    let composing = composing(stubs)
    #expect(try await composing.fallback(to: saved).value == saved)
    await #expect(throws: RESTError.self) { try await composing.fallback(to: saved).value }
  }

  @Test("A response is shared for a minute, and simultaneous calls for one customer are one")
  func shared() async throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      answer("orders", "[]").repeats(2),
      StubAPIResponse(
        request: request("customers/3"), result: .json(#"{"id": 3, "name": "Ada"}"#),
        delay: .seconds(1)),
      scheduler: scheduler)
    let composing = composing(stubs)
    let orders = composing.sharedOrders(forgettingOn: scheduler)
    _ = try await (orders.value, orders.value)
    #expect(stubs.requests.count == 1)
    scheduler.advance(by: .seconds(60))
    _ = try await orders.value
    #expect(stubs.requests.count == 2)

    let customers = Composing.Customers(shop: composing.shop)
    let (first, second) = (
      TestSubscriber<Customer, any Error>(), TestSubscriber<Customer, any Error>()
    )
    customers.customer(3).subscribe(first)
    customers.customer(3).subscribe(second)
    scheduler.advance(by: .seconds(1))
    #expect(first.values == second.values && first.values.count == 1)
    #expect(stubs.requests.count == 3)
  }

  @Test("Pages arrive one by one, only on demand")
  func pages() async throws {
    let stubs = StubTransport(
      answer("orders?page=1", #"{"orders": [\#(Self.seven)], "next": 2}"#).repeats(3),
      answer("orders?page=2", #"{"orders": [\#(Self.seven)], "next": null}"#).repeats(2))
    let composing = composing(stubs)
    #expect(try await composing.pages().allValues.count == 2)
    #expect(try await composing.pages().prefix(1).allValues.count == 1)
    #expect(stubs.requests.count == 3)
    #expect(try await composing.looped() == [7, 7])
  }

  @Test("Pages follow the links of their responses")
  func linkedPages() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: request("orders?per_page=50"), headers: ["Link": "<?page=2>; rel=next"],
        result: .json("[\(Self.seven)]")),
      answer("orders?page=2", "[\(Self.seven)]"))
    #expect(try await composing(stubs).linkedPages().allValues.flatMap { $0 }.map(\.id) == [7, 7])
  }

  @Test("A deadline ends the second of two calls")
  func callDeadline() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(
        request: request("orders/7"), result: .json("\(Self.seven)"), delay: .seconds(3)),
      StubAPIResponse(request: request("customers/3"), delay: .seconds(3)), scheduler: scheduler)
    let subscriber = TestSubscriber<Customer, any Error>()
    composing(stubs).customer(ofOrder: 7, by: .after(.seconds(5), scheduler: scheduler))
      .subscribe(subscriber)
    scheduler.advance(by: .seconds(5))
    #expect((subscriber.failure as? RESTError)?.underlyingError is CallDeadlineError)
    #expect(stubs.requests.count == 2)
  }

  @Test("The timeout of a call and that of a pipeline differ")
  func time() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: request("report"), delay: .seconds(20)).repeats(2),
      scheduler: scheduler)
    let (call, pipeline) = (
      TestSubscriber<RESTResponse, any Error>(), TestSubscriber<RESTResponse, any Error>()
    )
    composing(stubs).timed().subscribe(call)
    composing(stubs).report(scheduler: scheduler).subscribe(pipeline)
    scheduler.advance(by: .seconds(5))
    #expect((call.failure as? RESTError)?.kind == .transport(.timedOut))
    scheduler.advance(by: .seconds(3))
    #expect(pipeline.failure is Composing.TooLate)
    #expect(stubs.journal.last?.outcome == .cancelled)
  }

  @Test("A timeout without an error finishes the pipeline, which then has no value")
  func silentTimeout() async throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: request("report"), delay: .seconds(20)), scheduler: scheduler)
    let composing = composing(stubs)
    let report = Task { try await composing.reportInTime(scheduler: scheduler) }
    while stubs.requests.isEmpty { await Task.yield() }
    scheduler.advance(by: .seconds(8))
    let error = await #expect(throws: SingleValueError.self) { _ = try await report.value }
    #expect(error == .noValue)
    #expect(try error?.description == Guide(at: "Docs/Composing.md").output("silent-timeout"))
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }

  @Test("An upload reports its progress and delivers its response")
  func progress() async throws {
    let photo = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try Data("pixels".utf8).write(to: photo)
    defer { try? FileManager.default.removeItem(at: photo) }
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, urlString: "https://shop.example.com/photos")
          .body(Data("pixels".utf8)), statusCode: 201))
    let told = Lock<[Double]>([])
    let response = try await composing(stubs).send(photo) { part in
      told.withLock { $0.append(part) }
    }.value
    #expect(response.statusCode == 201)
    #expect(told.withLock { $0 }.last == 1)
  }

  @Test("Tasks and callbacks receive the same values")
  func bridges() async throws {
    let stubs = StubTransport(
      answer("orders", "[\(Self.seven)]"), answer("orders/7", Self.seven))
    let composing = composing(stubs)
    #expect(try await composing.awaited().count == 1)
    #expect(try await composing.bridged { Customer(id: 1, name: "Ada") }.value.name == "Ada")
    let order = try await withCheckedThrowingContinuation { continuation in
      let call = Lock<AnyCancellable?>(nil)
      let running = composing.order(7, on: DispatchQueue(label: "callback")) { result in
        call.withLock { $0 = nil }
        continuation.resume(with: result)
      }
      call.withLock { $0 = running }
    }
    #expect(order.id == 7)
  }

  @Test("A failure becomes a value, and so does an answer")
  func outcome() async throws {
    let stubs = StubTransport(
      answer("orders/7", Self.seven),
      StubAPIResponse(request: request("orders/8"), result: .fault(.connectionRefused)))
    let composing = composing(stubs)
    #expect(try await composing.outcome(of: 7).value.get().id == 7)
    let failed = try await composing.outcome(of: 8).value
    #expect(throws: RESTError.self) { try failed.get() }
    try stubs.verify()
  }

  @Test("The kind of an error determines the action")
  func errors() async {
    let stubs = StubTransport(
      StubAPIResponse(request: request("orders"), statusCode: 503)
        .thenRespondWith(request: request("orders"), statusCode: 401)
        .thenRespondWith(
          request: request("orders"), statusCode: 422,
          headers: ["Content-Type": "application/problem+json"],
          result: .json(#"{"detail": "Too many"}"#)
        )
        .thenRespondWith(request: request("orders"), result: .json("{}")))
    let composing = composing(stubs)
    var advice: [String] = []
    for _ in 1...4 {
      do {
        _ = try await composing.awaited()
      } catch {
        advice.append("\(composing.advice(about: error))")
      }
    }
    #expect(
      advice == ["tryLater", "signIn", #"correct(Optional("Too many"))"#, "reportBug"])
  }

  @MainActor
  @Test("A model shows orders or a message, and ends its call when it is released")
  func model() async throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      answer("orders", "[\(Self.seven)]"),
      StubAPIResponse(request: request("orders"), delay: .seconds(1)), scheduler: scheduler)
    let shop = composing(stubs).shop
    var model: Composing.OrdersModel? = Composing.OrdersModel(shop: shop)
    model?.load()
    // The model's delivery was queued on the main actor before this one.
    await Task { @MainActor in }.value
    #expect(model?.orders == [Order(id: 7, customer: 3)])
    #expect(model?.message == nil)
    model?.load()
    model = nil
    #expect(stubs.journal.last?.outcome == .cancelled)
  }

  @MainActor
  @Test("A closure that holds the model strongly keeps it exactly until the call ends")
  func strongSelf() async throws {
    final class Model {
      var loading: AnyCancellable?
      var count = 0
    }
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: request("orders"), delay: .seconds(1)), scheduler: scheduler)
    var model: Model? = Model()
    weak let released = model
    model?.loading = composing(stubs).shop.get(endpoint: "orders")
      .catch { _ in Empty<RESTResponse, Never>() }
      .sink(on: .mainActor) { [model] _ in model?.count += 1 }
    model = nil
    #expect(released != nil)
    scheduler.advance(by: .seconds(1))
    await Task { @MainActor in }.value
    #expect(released == nil)
  }

  @Test("The first failure of a zip cancels the other call")
  func zipFails() async {
    let stubs = StubTransport(
      StubAPIResponse(request: request("orders"), delay: .seconds(1)),
      StubAPIResponse(request: request("customers/7"), statusCode: 500),
      scheduler: TestScheduler())
    await #expect(throws: RESTError.self) { try await composing(stubs).both().value }
    #expect(stubs.journal.map(\.outcome) == [.cancelled, .answered(500)])
  }
}
