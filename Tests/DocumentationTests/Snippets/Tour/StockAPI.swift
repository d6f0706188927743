import Foundation
import RESTKit
import Streams

// snippet: retries
struct StockAPI: RESTAPI {
  let baseURL: String
  var transport: any Transport = .shared
  var retry = RetryPolicy(idempotencyKey: { UUID().uuidString })
}

extension StockAPI {
  func reserve(_ order: Data) -> AnyPublisher<RESTResponse, any Error> {
    post(endpoint: "reservations", body: .data(order)) { $0.sendingJSON() }
      .validateStatus()
      .eraseToAnyPublisher()
  }
}
// end
