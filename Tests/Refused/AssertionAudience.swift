import Foundation
import RESTKit

/// Without a server's metadata, nobody knows the audience of an assertion.
// expected-error@+1 {{missing argument for parameter 'audience' in call}}
let assertion = ClientAssertion(algorithm: "ES256") { $0 }
