import RESTKit
import Streams

enum Coalescing {
  // snippet: coalescing-api
  struct ShopAPI: RESTAPI {
    let baseURL = "https://shop.example/v1"
    let transport: any Transport
    let coalescer = RequestCoalescer(ignoring: ["traceparent"])
  }
  // end

  nonisolated struct Order: Decodable, Sendable {
    let id: Int
  }

  // snippet: coalesced
  struct Orders: Sendable {
    let api: any RESTAPI
    let coalescer = RequestCoalescer()

    func latest() -> AnyPublisher<[Order], any Error> {
      api.get(endpoint: "orders").coalesced(in: coalescer).decode(type: [Order].self)
        .eraseToAnyPublisher()
    }
  }
  // end
}
