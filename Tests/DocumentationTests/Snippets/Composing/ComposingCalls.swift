import Dispatch
import Foundation
import RESTKit
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension Composing {
  func cold() -> [AnyCancellable] {
    // snippet: cold
    let orders = shop.get(endpoint: "orders").decode(type: [Order].self)  // nothing is sent
    let first = orders.sink(receiveResult: show)  // GET /orders
    let second = orders.sink(receiveResult: show)  // GET /orders, once more
    // end
    return [first, second]
  }

  func stamped() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: modifier
    let orders = shop.get(endpoint: "orders") {
      $0.settingHeader("X-Request-ID", to: UUID().uuidString)
    }
    // end
    return orders
  }

  func hopping(to queue: DispatchQueue) -> AnyPublisher<[Order], any Error> {
    // snippet: hop
    let orders = shop.get(endpoint: "orders")
      .receive(on: queue)  // what follows runs there
      .decode(type: [Order].self)
    // end
    return orders.eraseToAnyPublisher()
  }

  func placing(_ order: some Encodable & Sendable) -> AnyPublisher<RESTResponse, any Error> {
    // snippet: status
    let placed = shop.post(endpoint: "orders", body: .json(order))
      .validateStatus()
    // end
    return placed.eraseToAnyPublisher()
  }

  func unwrapped() -> AnyPublisher<Order, any Error> {
    // snippet: unwrap
    let order = shop.get(endpoint: "orders/7")  // {"status": "ok", "result": {"id": 7, …}}
      .unwrapResultJSON()
      .decode(type: Order.self)
    // end
    return order.eraseToAnyPublisher()
  }

  func timed() -> AnyPublisher<RESTResponse, any Error> {
    // snippet: timeout
    let report = shop.get(endpoint: "report") { request in
      var request = request
      request.timeoutInterval = 5  // seconds, for the whole exchange
      return request
    }
    // end
    return report
  }

  // snippet: deadline
  struct TooLate: Error {}

  func report(scheduler: any Scheduler) -> AnyPublisher<RESTResponse, any Error> {
    shop.get(endpoint: "report")
      .timeout(.seconds(8), scheduler: scheduler) { TooLate() }
      .eraseToAnyPublisher()
  }
  // end

  // snippet: silent-timeout
  func reportInTime(scheduler: any Scheduler) async throws -> RESTResponse {
    try await shop.get(endpoint: "report")
      .timeout(.seconds(8), scheduler: scheduler)  // finishes, without a value
      .value
  }
  // end
}
