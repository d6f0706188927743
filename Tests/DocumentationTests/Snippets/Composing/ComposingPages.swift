import Foundation
import RESTKit
import Streams

extension Composing {
  // snippet: page
  nonisolated struct OrderPage: Decodable, Sendable {
    let orders: [Order]
    let next: Int?
  }

  struct Orders: Endpoint {
    typealias Response = OrderPage
    var page = 1
    var path: ResourcePath { "orders" }
    var query: QueryItems { ["page": "\(page)"] }
  }
  // end

  func pages() -> AnyPublisher<OrderPage, any Error> {
    // snippet: pages
    let pages = shop.pages(from: Orders()) { _, answer in
      answer.next.map { Orders(page: $0) }
    }
    // end
    return pages
  }

  func linkedPages() -> AnyPublisher<[Order], any Error> {
    // snippet: linked-pages
    let orders = shop.pages(
      endpoint: "orders", query: ["per_page": "50"]
    )
    .decode(type: [Order].self)
    // end
    return orders.eraseToAnyPublisher()
  }

  // snippet: call-deadline
  func customer(ofOrder id: Int, by deadline: CallDeadline) -> AnyPublisher<Customer, any Error> {
    shop.get(endpoint: "orders/\(id)")
      .decode(type: Order.self)
      .flatMap { order in
        shop.get(endpoint: "customers/\(order.customer)").decode(type: Customer.self)
      }
      .call(deadline: deadline)  // .after(.seconds(5))
  }
  // end
}
