import RESTKit

/// An API whose properties each have a slightly wrong type.
struct NearMisses: RESTAPI {
  // expected-error@-1 {{type 'NearMisses' does not conform to protocol 'RESTAPI'}}
  // expected-note@-2 {{add stubs for conformance}}
  let baseURL = "https://api.example.com"
  let transport: (any Transport)?  // expected-note {{non-matching type '(any Transport)?'}}
  let redirects: RedirectPolicy?  // expected-note {{non-matching type 'RedirectPolicy?'}}
  let secretHeaders: Set<String>  // expected-note {{non-matching type 'Set<String>'}}
  let retry: RetryPolicy.Type  // expected-note {{non-matching type 'RetryPolicy.Type'}}
  let session: TokenSession??  // expected-note {{non-matching type 'TokenSession??'}}
  let cache: [HTTPCache]  // expected-note {{non-matching type '[HTTPCache]'}}
  let coalescer: Bool  // expected-note {{non-matching type 'Bool'}}
  let requestCompression: String  // expected-note {{non-matching type 'String'}}
  let rateLimiter: Int  // expected-note {{non-matching type 'Int'}}
}

/// An API with one property of the wrong type, which is enough for the compiler to refuse it.
struct NearMiss: RESTAPI {
  // expected-error@-1 {{type 'NearMiss' does not conform to protocol 'RESTAPI'}}
  // expected-note@-2 {{add stubs for conformance}}
  let baseURL = "https://api.example.com"
  let transport: any Transport
  let secretHeaders = "X-Shop-Key"  // expected-note {{non-matching type 'String'}}
}
