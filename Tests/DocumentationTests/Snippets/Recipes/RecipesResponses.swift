import Foundation
import RESTKit
import Streams

extension Recipes {
  // snippet: dates
  nonisolated struct Shipment: Decodable, Sendable {
    let leavesAt: Date
  }

  struct ShipmentByID: Endpoint {
    typealias Response = Shipment
    let id: Int
    var path: ResourcePath { "shipments/\(id)" }

    var decoder: JSONDecoder {
      let decoder = JSONDecoder()
      decoder.keyDecodingStrategy = .convertFromSnakeCase
      decoder.dateDecodingStrategy = .iso8601
      return decoder
    }
  }
  // end

  // snippet: bytes
  struct Photo: Endpoint {
    typealias Response = Data
    let id: Int
    var path: ResourcePath { "photos/\(id).jpg" }
  }
  // end

  // snippet: no-content
  struct DeleteOrder: Endpoint {
    typealias Response = Void
    let id: Int
    var method: HTTPMethod { .delete }
    var path: ResourcePath { "orders/\(id)" }
  }
  // end

  // snippet: response-header
  struct CountedOrders: Endpoint {
    typealias Response = (orders: [Order], total: Int?)
    var path: ResourcePath { "orders" }

    func answer(_ response: RESTResponse) throws -> Response {
      (try response.decoded(), response.headers["X-Total-Count"].flatMap { Int($0) })
    }
  }
  // end

  // snippet: not-found
  func order(_ id: Int) -> AnyPublisher<Order?, any Error> {
    shop.get(endpoint: "orders/\(id)")
      .tryMap { response in
        response.statusCode == 404 ? nil : try response.decoded(as: Order.self)
      }
      .eraseToAnyPublisher()
  }
  // end

  // snippet: error-body
  func explanation(of error: any Error) -> String? {
    guard let error = error as? RESTError else { return nil }
    if let problem = error.problem { return problem.detail ?? problem.title }
    return error.body.map { String(decoding: $0, as: UTF8.self) }
  }
  // end

  // snippet: own-error
  struct ShopError: Error, Decodable, Equatable {
    let code: String
    let field: String?
  }

  func reserve(_ order: Data) -> AnyPublisher<RESTResponse, any Error> {
    shop.post(endpoint: "reservations", body: .data(order)) { $0.sendingJSON() }
      .validateStatus()
      .mapError { error in
        let body = (error as? RESTError)?.body
        return body.flatMap { try? JSONDecoder().decode(ShopError.self, from: $0) } ?? error
      }
      .eraseToAnyPublisher()
  }
  // end

  // snippet: as-it-comes
  func linesOfLog() -> AnyPublisher<Int, any Error> {
    shop.events(endpoint: "log")
      .tryReduce(0) { lines, event in
        switch event {
        case .sent: return lines
        case .head(let head):
          guard head.statusCode == 200 else { throw NoLog(status: head.statusCode) }
          return lines
        case .chunk(let bytes): return lines + bytes.count { $0 == UInt8(ascii: "\n") }
        }
      }
      .eraseToAnyPublisher()
  }

  struct NoLog: Error {
    let status: Int
  }
  // end
}
