import RESTKit

/// An endpoint whose properties each have a slightly wrong type.
struct NearMissEndpoint: Endpoint {
  // expected-error@-1 {{type 'NearMissEndpoint' does not conform to protocol 'Endpoint'}}
  // expected-note@-2 {{add stubs for conformance}}
  typealias Response = RESTResponse
  let path: ResourcePath = "orders"
  let method = "POST"  // expected-note {{non-matching type 'String'}}
  let query = ["page": "2"]  // expected-note {{non-matching type '[String : String]'}}
  let headers = ["X-Shop-Key": "7"]  // expected-note {{non-matching type '[String : String]'}}
  let body = "{}"  // expected-note {{non-matching type 'String'}}
  let authorization = false  // expected-note {{non-matching type 'Bool'}}
  let decoder: any Sendable  // expected-note {{non-matching type 'any Sendable'}}
}
