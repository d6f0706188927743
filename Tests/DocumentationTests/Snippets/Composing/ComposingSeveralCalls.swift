import Foundation
import RESTKit
import Streams

extension Composing {
  func chained() -> AnyPublisher<Customer, any Error> {
    // snippet: chain
    let customer = shop.get(endpoint: "orders/7")
      .decode(type: Order.self)
      .flatMap { order in
        shop.get(endpoint: "customers/\(order.customer)").decode(type: Customer.self)
      }
    // end
    return customer.eraseToAnyPublisher()
  }

  func both() -> AnyPublisher<([Order], Customer), any Error> {
    // snippet: zip
    let page = shop.get(endpoint: "orders").decode(type: [Order].self)
      .zip(shop.get(endpoint: "customers/7").decode(type: Customer.self))
    // end
    return page.eraseToAnyPublisher()
  }

  func limited(_ ids: [Int]) -> AnyPublisher<Customer, any Error> {
    // snippet: limited
    let customers = Publishers.Sequence(ids)
      .flatMap(maxPublishers: .max(4)) { id in
        shop.get(endpoint: "customers/\(id)").decode(type: Customer.self)
      }
    // end
    return customers.eraseToAnyPublisher()
  }

  func ordered(_ ids: [Int]) -> AnyPublisher<Customer, any Error> {
    // snippet: ordered
    let customers = Publishers.Sequence(ids)
      .tryAsyncMap(maxConcurrent: 4) { id in
        try await shop.get(endpoint: "customers/\(id)").decode(type: Customer.self).value
      }
    // end
    return customers.eraseToAnyPublisher()
  }

  func fallback(to saved: [Order]) -> AnyPublisher<[Order], any Error> {
    // snippet: fallback
    let orders = shop.get(endpoint: "orders").decode(type: [Order].self)
      .tryCatch { error in
        guard case .transport = (error as? RESTError)?.kind else { throw error }
        return Just(saved)
      }
    // end
    return orders.eraseToAnyPublisher()
  }

  // snippet: share
  func sharedOrders(
    forgettingOn scheduler: any Scheduler
  ) -> AnyPublisher<[Order], any Error> {
    shop.get(endpoint: "orders").decode(type: [Order].self)
      .share(replay: 1, resetOnFinish: .after(.seconds(60), scheduler: scheduler))
      .eraseToAnyPublisher()
  }
  // end

  // snippet: flights
  struct Customers: Sendable {
    let shop: ShopAPI
    private let flights = SingleFlight<Int, Customer, any Error>()

    init(shop: ShopAPI) {
      self.shop = shop
    }

    func customer(_ id: Int) -> AnyPublisher<Customer, any Error> {
      flights.publisher(for: id) {
        shop.get(endpoint: "customers/\(id)").decode(type: Customer.self)
      }
    }
  }
  // end
}
