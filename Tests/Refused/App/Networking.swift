// A file that uses `URLRequest` on Linux: the second table of Docs/FromCombine.md, "The compiler says".
import Foundation
import RESTKit

// expected-error @+1 2 {{cannot find type 'URLRequest' in scope}}
@Sendable func signed(_ request: URLRequest) -> URLRequest { request }

// expected-error @+1 {{type 'URLSession' (aka 'AnyObject') has no member 'shared'}}
let session = URLSession.shared
