import Foundation
import RESTKit
import Streams

// snippet: begin
struct Shop: Sendable {
  let session: TokenSession
  let api: ShopAPI

  init(transport: any Transport) {
    session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: transport))
    api = ShopAPI(baseURL: "https://shop.example.com/v1", transport: transport)
  }

  var orders: AnyPublisher<[Order], any Error> {
    session.authorize(api.get(endpoint: "orders"))
      .decode(type: [Order].self)
      .eraseToAnyPublisher()
  }
}
// end

// snippet: grant
func grant(for api: ShopAPI) -> ClosureGrant {
  ClosureGrant { credential in
    api.post(endpoint: "token", body: .data(Data((credential?.refreshToken ?? "").utf8)))
      .decode(type: TokenResponse.self)
  }
}
// end
