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
    var query: [URLQueryItem] { [URLQueryItem(name: "page", value: "\(page)")] }
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
}
