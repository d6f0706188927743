// What the examples of Docs/Recipes.md stand in.
import Foundation
import RESTKit
import Streams

struct Recipes: Sendable {
  let shop: ShopAPI

  // snippet: api
  struct ShopAPI: RESTAPI {
    let baseURL: String
    var transport: any Transport = .shared
    var redirects: RedirectPolicy = .follow
    var secretHeaders: [String] = []
    var retry: RetryPolicy?
    var session: TokenSession?
  }

  nonisolated struct Order: Codable, Sendable, Equatable {
    let id: Int
    let sku: String
  }
  // end
}
