import RESTKit
import Streams

enum RateLimits {
  // snippet: limited-api
  struct ShopAPI: RESTAPI {
    let baseURL = "https://shop.example/v1"
    let transport: any Transport
    let rateLimiter: RateLimiter
  }

  static func shop(over transport: any Transport, scheduler: any Scheduler) -> ShopAPI {
    ShopAPI(
      transport: transport, rateLimiter: RateLimiter(2, per: .seconds(1), scheduler: scheduler))
  }
  // end

  // snippet: rate-limited
  struct Search: Sendable {
    let api: any RESTAPI
    let limiter: RateLimiter

    func results(for text: String) -> AnyPublisher<RESTResponse, any Error> {
      api.get(endpoint: "search", query: ["q": text]).rateLimited(by: limiter)
    }
  }
  // end
}
