import Foundation
import RESTKit
import RESTKitTesting
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// An API as in an app.
struct ShopAPI: RESTAPI {
  let baseURL = "https://shop.example.com/v1"
  let transport: any Transport
}

struct Order: Codable, Sendable, Equatable {
  let id: Int
  let total: Double
}

let orderText = #"{"id": 7, "total": 12.5}"#
let orderURL = "https://shop.example.com/v1/orders/7"

/// The lower bound: a transport without stubs that returns the response at once.
struct ReadyTransport: Transport {
  let data = Data(orderText.utf8)

  func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
    Deferred { [data] in
      Result<RESTResponse, any Error> {
        guard let url = request.url else { throw URLError(.badURL) }
        return RESTResponse(
          head: ResponseHead(url: url, statusCode: 200), data: data,
          request: RequestSummary(request))
      }
      .publisher
    }
    .eraseToAnyPublisher()
  }
}

/// A small test of an app, in which an order is created, read, and deleted.
func playScenario(number: Int) async throws {
  let stubs = StubTransport(
    StubAPIResponse(
      request: StubRequest(.post, urlString: "https://shop.example.com/v1/orders")
        .header("Content-Type", "application/json").jsonBody(#"{"total": 12.5, "id": \#(number)}"#),
      statusCode: 201, result: .json(#"{"id": \#(number), "total": 12.5}"#)
    )
    .thenRespondWith(
      request: StubRequest(.get, path: "/v1/orders/*").query(["expand": "lines"]),
      result: .json(#"{"id": \#(number), "total": 12.5}"#)
    )
    .thenRespondWith(request: StubRequest(.delete, path: "/v1/orders/*"), statusCode: 204))
  let api = ShopAPI(transport: stubs)
  let body = try JSONEncoder().encode(Order(id: number, total: 12.5))
  let created = try await api.post(endpoint: "orders", body: .data(body)) { $0.sendingJSON() }
    .decode(type: Order.self).value
  let read = try await api.get(
    endpoint: "orders/\(number)", query: ["expand": "lines"]
  ).decode(type: Order.self).value
  let gone = try await api.delete(endpoint: "orders/\(number)").value
  try stubs.verify()
  guard created.id == number, created == read, gone.statusCode == 204 else {
    throw WrongResult(number: number)
  }
}

struct WrongResult: Error {
  let number: Int
}
