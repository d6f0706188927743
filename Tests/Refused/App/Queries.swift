// Endpoints and queries as they are typed: the second table of Docs/FromCombine.md, "The compiler says".
import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

struct ShopAPI: RESTAPI {
  let baseURL = "https://shop.example.com"
}

struct Product: Sendable {
  let id: Int
}

// expected-error @+1 {{type 'ProductByID' does not conform to protocol 'Endpoint'}}
struct ProductByID: Endpoint {
  let path: ResourcePath = "products/1"
}

// expected-error @+1 {{type 'Products' does not conform to protocol 'Endpoint'}}
struct Products: Endpoint {
  typealias Response = [String]
  let path = "products"
  let query = [URLQueryItem(name: "page", value: "2")]
}

// expected-error @+1 {{type 'FirstProduct' does not conform to protocol 'Endpoint'}}
struct FirstProduct: Endpoint {
  typealias Response = Product
  let path: ResourcePath = "products/first"
}

func calls(_ shop: ShopAPI, with filters: [String: String], of ids: [Int], url: URL, path: String) {
  // expected-error @+1 {{cannot convert value of type 'String' to expected argument type 'ResourcePath'}}
  _ = shop.get(path)
  // expected-error @+1 {{cannot convert value of type 'URL' to expected argument type 'String'}}
  _ = shop.get(endpoint: url)
  // expected-error @+1 {{cannot convert value of type '[String : String]' to expected argument type 'QueryItems'}}
  _ = shop.get(endpoint: "products", query: filters)
  // expected-error @+1 {{'init(_:)' is unavailable: write pairs of a name and a text, a number or a boolean, such as QueryItems(ids.map { ("ids[]", $0) }), with an enum's rawValue; for an Encodable value, write QueryItems(encoding:)}}
  _ = shop.get(endpoint: "products", query: QueryItems(ids))
  // expected-error @+1 {{cannot convert value of type '[Int]' to expected dictionary value type '(any LosslessStringConvertible)?'}}
  _ = shop.get(endpoint: "products", query: ["ids": ids])
  // expected-error @+1 {{cannot convert value of type '[String : String]' to expected argument type 'RequestBody'}}
  _ = shop.post(endpoint: "products", body: ["name": "tea"])
}
