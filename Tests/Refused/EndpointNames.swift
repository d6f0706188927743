import Foundation
import RESTKit

/// An endpoint whose properties have other libraries' names.
struct MisspelledEndpoint: Endpoint {
  // expected-error@-1 {{type 'MisspelledEndpoint' does not conform to protocol 'EndpointNames'}}
  // expected-error@-2 {{'EndpointNames': write method, not httpMethod}}
  // expected-error@-3 {{'EndpointNames': write body, not httpBody}}
  // expected-error@-4 {{'EndpointNames': write query, not queryItems}}
  // expected-error@-5 {{'EndpointNames': write headers, not httpHeaders}}
  // expected-error@-6 {{'EndpointNames': write timeout, not timeoutInterval}}
  // expected-error@-7 {{'EndpointNames': write retry, not retryPolicy}}
  // expected-error@-8 {{'EndpointNames': write decoder, not jsonDecoder}}
  typealias Response = RESTResponse
  let path: ResourcePath = "orders"
  var httpMethod: HTTPMethod { .post }
  var httpBody: Data? { nil }
  let queryItems: QueryItems = ["page": "2"]
  let httpHeaders = ["X-Shop-Key": "7"]
  let timeoutInterval: TimeInterval = 5
  let retryPolicy = RetryPolicy()
  let jsonDecoder = JSONDecoder()
}

struct NamedBody: Endpoint {
  // expected-error@-1 {{type 'NamedBody' does not conform to protocol 'EndpointNames'}}
  // expected-error@-2 {{'EndpointNames': write body, not requestBody}}
  // expected-error@-3 {{'EndpointNames': write query, not queryParameters}}
  // expected-error@-4 {{'EndpointNames': write query, not parameters}}
  typealias Response = RESTResponse
  let path: ResourcePath = "orders"
  let requestBody: RequestBody?
  let queryParameters: [String: String]
  let parameters: QueryItems
}

/// Parameters of another type are the endpoint's own business.
struct OwnParameters: Endpoint {
  typealias Response = RESTResponse
  let parameters: [Int]
  var path: ResourcePath { "orders/\(parameters.count)" }
}
