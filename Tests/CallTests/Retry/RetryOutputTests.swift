import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A retry policy for a publisher of any output", .timeLimit(.minutes(10)))
struct RetryOutputTests {
  private struct Order: Decodable, Equatable, Sendable {
    let id: Int
  }

  private struct FirstOrder: Endpoint {
    typealias Response = Order
    let path: ResourcePath = "orders/first"
  }

  private static let body = Data(#"{"id": 7}"#.utf8)

  private let scheduler = TestScheduler()
  private let orders = TestSubscriber<Order, any Error>()

  private func api(
    _ answers: ScriptedTransport.ServerResponse..., taking duration: Duration = .zero
  ) -> (TestAPI, ScriptedTransport) {
    let transport = ScriptedTransport(on: scheduler, taking: duration) { number, _ in
      answers[min(number, answers.count) - 1]
    }
    return (TestAPI(transport: transport), transport)
  }

  private var error: RESTError? { orders.failure as? RESTError }

  private var refusals: [String] {
    (error?.log?.events ?? []).compactMap { event in
      if case .notRetried(let reason) = event.kind { reason } else { nil }
    }
  }

  @Test("An endpoint's request is sent again after a status that means \"not now\"")
  func endpoint() {
    let (api, transport) = api(.status(503), .status(200, body: Self.body))
    api.publisher(for: FirstOrder()).retry(.test(scheduler)).receive(subscriber: orders)
    scheduler.run()
    #expect(orders.values == [Order(id: 7)])
    #expect(orders.isFinished)
    #expect(transport.times == [.zero, .milliseconds(500)])
  }

  @Test("A request whose response is decoded is sent again, no earlier than the server asks")
  func decoded() {
    let (api, transport) = api(
      .status(503, ["Retry-After": "2"]), .fault(.connectionReset),
      .status(200, body: Self.body))
    api.get(endpoint: "orders/7").decode(type: Order.self).retry(.test(scheduler))
      .receive(subscriber: orders)
    scheduler.run()
    #expect(orders.values == [Order(id: 7)])
    #expect(transport.times == [.zero, .milliseconds(2_500), .milliseconds(3_500)])
  }

  @Test("The last failure is delivered, with every attempt and the reason for the end in its log")
  func lastFailure() {
    let (api, transport) = api(.status(503))
    api.publisher(for: FirstOrder()).retry(.test(scheduler)).receive(subscriber: orders)
    scheduler.run()
    #expect(error?.kind == .status(503))
    #expect(error?.attempts == 3)
    #expect(refusals == ["3 of 3 attempts are used up, see RetryPolicy.maxAttempts"])
    #expect(transport.requests.count == 3)
  }

  @Test("A failure that no attempt would change is delivered at once")
  func otherFailures() {
    let answers: [ScriptedTransport.ServerResponse] = [
      .status(404), .status(200, body: Data("[]".utf8)), .failure(TestFailure(name: "own")),
    ]
    for answer in answers {
      let (api, transport) = api(answer)
      let orders = TestSubscriber<Order, any Error>()
      api.publisher(for: FirstOrder()).retry(.test(scheduler)).receive(subscriber: orders)
      scheduler.run()
      #expect(orders.failure != nil)
      #expect(transport.requests.count == 1)
    }
  }

  @Test("An API's own policy is replaced, so attempts do not multiply")
  func outermost() {
    let transport = ScriptedTransport(.status(503), on: scheduler)
    let api = TestAPI(transport: transport, retry: .test(scheduler))
    api.publisher(for: FirstOrder()).retry(.test(scheduler) { $0.maxAttempts = 2 })
      .receive(subscriber: orders)
    scheduler.run()
    #expect(transport.requests.count == 2)
  }

  @Test("Retries spend the policy's budget, and successes fill it")
  func budget() throws {
    let budget = RetryBudget(burst: 2, successesPerRetry: 1)
    let url = try #require(URL(string: TestAPI.origin))
    let policy = RetryPolicy.test(scheduler) { $0.budget = budget }
    let (failing, _) = api(.status(503))
    failing.publisher(for: FirstOrder()).retry(policy).receive(subscriber: orders)
    scheduler.run()
    #expect(budget.remaining(for: url) == 0)
    let (busy, transport) = api(.status(503))
    busy.publisher(for: FirstOrder()).retry(policy)
      .receive(subscriber: TestSubscriber<Order, any Error>())
    scheduler.run()
    #expect(transport.requests.count == 1)
    let (working, _) = api(.status(200, body: Self.body))
    working.publisher(for: FirstOrder()).retry(policy)
      .receive(subscriber: TestSubscriber<Order, any Error>())
    #expect(budget.remaining(for: url) == 1)
  }

  @Test("A POST that may have been processed is not sent again")
  func post() {
    let (api, transport) = api(.fault(.connectionReset), .status(200, body: Self.body))
    api.post(endpoint: "orders", body: nil).decode(type: Order.self).retry(.test(scheduler))
      .receive(subscriber: orders)
    scheduler.run()
    #expect(transport.requests.count == 1)
    #expect(refusals == ["POST may have been processed, and has no Idempotency-Key"])
  }

  @Test("An attempt that has delivered a value is not repeated, and the log says why")
  func delivered() {
    let (api, transport) = api(.status(503))
    Just(Order(id: 0)).setFailureType(to: (any Error).self)
      .append(api.publisher(for: FirstOrder()))
      .retry(.test(scheduler))
      .receive(subscriber: orders)
    scheduler.run()
    #expect(orders.values == [Order(id: 0)])
    #expect(transport.requests.count == 1)
    #expect(refusals.first?.hasPrefix("a part of the stream was delivered") == true)
  }

  @Test("A silent attempt is cut off by the policy's times")
  func times() {
    let (api, transport) = api(.silence)
    let policy = RetryPolicy.test(scheduler) {
      $0.attemptTimeout = .seconds(2)
      $0.totalTime = .seconds(4)
    }
    api.publisher(for: FirstOrder()).retry(policy).receive(subscriber: orders)
    scheduler.run()
    #expect(transport.times == [.zero, .milliseconds(2_500)])
    #expect(error?.kind == .transport(.timedOut))
    #expect(error?.reason.contains("RetryPolicy.totalTime") == true)
    #expect(scheduler.now == .seconds(4))
  }

  @Test("An upload takes as long as it takes, also if its response is decoded")
  func upload() {
    let (api, transport) = api(.status(200, body: Self.body), taking: .seconds(90))
    api.upload(.put, endpoint: "orders/7", body: .data(Data("x".utf8)))
      .decode(type: Order.self)
      .retry(.test(scheduler) { $0.attemptTimeout = .seconds(2) })
      .receive(subscriber: orders)
    scheduler.run()
    #expect(orders.values == [Order(id: 7)])
    #expect(transport.requests.count == 1)
  }

  @Test("A publisher without a request is retried after a RESTError, too")
  func withoutRequest() {
    let log = ValueLog<Int>()
    let failure = RESTError(.transport(.connectionRefused), reason: "refused", remedy: "")
    Deferred { () -> AnyPublisher<Order, any Error> in
      log.add(log.all.count)
      guard log.all.count > 2 else { return Fail(error: failure).eraseToAnyPublisher() }
      return Just(Order(id: 1)).setFailureType(to: (any Error).self).eraseToAnyPublisher()
    }
    .retry(.test(scheduler))
    .receive(subscriber: orders)
    scheduler.run()
    #expect(orders.values == [Order(id: 1)])
    #expect(log.all == [0, 1, 2])
  }

  @Test("Generic code gets the meaning of the output's type")
  func generic() {
    func retried<Output: Sendable>(
      _ publisher: AnyPublisher<Output, any Error>
    ) -> AnyPublisher<Output, any Error> {
      publisher.retry(.test(scheduler) { $0.maxAttempts = 2 })
    }
    let (api, transport) = api(.status(503))
    let responses = TestSubscriber<RESTResponse, any Error>()
    retried(api.get(endpoint: "a")).receive(subscriber: responses)
    scheduler.run()
    #expect(responses.values.map(\.statusCode) == [503])
    #expect(responses.isFinished)
    #expect(transport.requests.count == 2)
  }

  @Test("A cancel in a wait ends its timer")
  func cancel() {
    let (api, transport) = api(.status(503))
    api.publisher(for: FirstOrder()).retry(.test(scheduler)).receive(subscriber: orders)
    #expect(scheduler.pendingCount == 1)
    orders.cancel()
    #expect(scheduler.pendingCount == 0)
    scheduler.run()
    #expect(transport.requests.count == 1)
    #expect(orders.failure == nil)
  }
}
