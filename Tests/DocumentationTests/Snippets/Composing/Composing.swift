// What the examples of Docs/Composing.md stand in.
import Foundation
import RESTKit
import Streams

struct Composing: Sendable {
  let shop: ShopAPI
  var show: @Sendable (Result<[Order], any Error>) -> Void = { _ in }

  // snippet: api
  struct ShopAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
  }

  nonisolated struct Order: Decodable, Sendable, Equatable {
    let id: Int
    let customer: Int
  }

  nonisolated struct Customer: Decodable, Sendable, Equatable {
    let id: Int
    let name: String
  }
  // end
}
