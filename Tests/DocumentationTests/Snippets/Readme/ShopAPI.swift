import RESTKit
import Streams

// snippet: api
struct ShopAPI: RESTAPI {
  let baseURL: String
  var session: TokenSession?
  var transport: any Transport = .shared
}

func fetchOrders(of shop: ShopAPI) async throws -> [Order] {
  try await shop.get(endpoint: "orders").decode(type: [Order].self).value
}
// end

// snippet: two-lines
func makeShop(access: String, refresh: String, transport: any Transport = .shared) throws -> ShopAPI
{
  let session = TokenSession(
    grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: transport))
  try session.signIn(Credential(accessToken: access, refreshToken: refresh))
  return ShopAPI(
    baseURL: "https://shop.example.com/v1", session: session, transport: transport)
}
// end
