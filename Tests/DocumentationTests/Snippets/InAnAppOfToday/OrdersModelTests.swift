import Observation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import StreamsTesting
import Testing

@MainActor @Suite("The view model of Docs/InAnAppOfToday.md, in virtual time", .leakFree, .stubs)
struct OrdersModelTests {
  private typealias ShopAPI = InAnAppOfToday.ShopAPI
  private typealias Order = InAnAppOfToday.Order
  private typealias OrdersModel = InAnAppOfToday.OrdersModel

  private let orders = StubRequest(.get, urlString: "https://shop.example.com/orders")

  // snippet: change
  /// Waits until the model has another phase, as a view does.
  private func change(of model: OrdersModel) async {
    await withCheckedContinuation { continuation in
      withObservationTracking {
        _ = model.phase
      } onChange: {
        continuation.resume()
      }
    }
  }
  // end

  // snippet: test
  @Test("A call to a busy server is retried, and the screen shows the result")
  func retries() async {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: orders, statusCode: 503, delay: .seconds(1))
        .thenRespondWith(request: orders, result: .json(#"[{"id": 7, "sku": "A-1"}]"#)),
      scheduler: scheduler)
    let shop = ShopAPI(
      baseURL: "https://shop.example.com", transport: stubs,
      retry: RetryPolicy(scheduler: scheduler))
    let model = OrdersModel(shop: shop)

    model.load()
    #expect(model.phase == .loading)
    scheduler.advance(by: .seconds(2))  // one for the 503, and at most half of one to wait
    await change(of: model)
    #expect(model.phase == .shown([Order(id: 7, sku: "A-1")]))
  }
  // end

  @Test("A failure is shown, and loading again replaces it")
  func failure() async {
    let stubs = StubTransport(
      StubAPIResponse(request: orders, statusCode: 404)
        .thenRespondWith(request: orders, result: .json("[]")))
    let model = OrdersModel(shop: ShopAPI(baseURL: "https://shop.example.com", transport: stubs))

    model.load()
    await change(of: model)
    guard case .failed(let text) = model.phase else {
      Issue.record("The model shows \(model.phase).")
      return
    }
    #expect(text.contains("404"))

    model.load()
    #expect(model.phase == .loading)
    await change(of: model)
    #expect(model.phase == .shown([]))
  }

  @Test("A cancel ends the call, and the screen shows no result")
  func cancel() async {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: orders, result: .json("[]"), delay: .seconds(1)),
      scheduler: scheduler)
    let model = OrdersModel(shop: ShopAPI(baseURL: "https://shop.example.com", transport: stubs))

    model.load()
    model.cancel()
    scheduler.advance(by: .seconds(2))
    await Task { @MainActor in }.value
    #expect(model.phase == .idle)
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }

  @Test("A response that waits for the main actor is not shown after a cancel")
  func lateCancel() async {
    let stubs = StubTransport(StubAPIResponse(request: orders, result: .json("[]")))
    let model = OrdersModel(shop: ShopAPI(baseURL: "https://shop.example.com", transport: stubs))

    model.load()  // stubs have answered when it returns
    model.cancel()
    await Task { @MainActor in }.value
    #expect(model.phase == .idle)
  }

  @Test("A model that is released ends its call")
  func released() {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: orders, result: .json("[]"), delay: .seconds(1)),
      scheduler: scheduler)
    var model: OrdersModel? = OrdersModel(
      shop: ShopAPI(baseURL: "https://shop.example.com", transport: stubs))
    weak let released = model

    model?.load()
    model = nil
    #expect(released == nil)
    #expect(stubs.journal.map(\.outcome) == [.cancelled])
  }
}
