import RESTKit
import Streams

// snippet: session
func makeSession(transport: any Transport) -> TokenSession {
  let client = OAuthClient(
    tokenEndpoint: "https://id.example.com/token", id: "shop-app", authentication: .none,
    transport: transport)
  return TokenSession(grant: RefreshTokenGrant(client), store: MemoryTokenStore())
}

extension ShopAPI {
  func myOrders(in session: TokenSession) -> AnyPublisher<[Order], any Error> {
    session.authorize(get(endpoint: "me/orders")).decode(type: [Order].self)
      .eraseToAnyPublisher()
  }
}
// end
