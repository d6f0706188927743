// An app whose own types have names of RESTKit's: the second table of Docs/FromCombine.md, "The compiler says".
import RESTKit

enum HTTPMethod: String {
  case get = "GET"
}

protocol Endpoint: Sendable {
  var path: String { get }
  var method: HTTPMethod { get }
}

struct Orders: Endpoint {
  let path = "orders"
  let method = HTTPMethod.get
}

struct ShopAPI: RESTAPI {
  let baseURL = "https://shop.example.com"
}

func calls(_ shop: ShopAPI, to orders: Orders) {
  // expected-error @+1 {{cannot convert value of type 'Shop.HTTPMethod' to expected argument type 'HTTPWire.HTTPMethod'}}
  _ = shop.request(orders.method, endpoint: orders.path)
  // expected-error @+1 {{no exact matches in call to instance method 'publisher'}}
  _ = shop.publisher(for: orders)
}
