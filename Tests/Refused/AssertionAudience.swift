import Foundation
import RESTKit

/// Without a server's metadata, nobody knows the audience of an assertion.
let assertion = ClientAssertion(algorithm: "ES256") { $0 }  // expected-error {{missing argument for parameter 'audience' in call}}
