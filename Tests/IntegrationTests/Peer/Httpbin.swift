import Foundation
import RESTKit
import Testing

/// The httpbin that the tests talk to.
enum Httpbin {
  /// Where it listens, as `run.sh` tells it.
  static let address = ProcessInfo.processInfo.environment["RESTKIT_HTTPBIN_URL"]

  /// The same server under another host's name, which makes it another origin; nil where there is
  /// no such name.
  static let addressOfOtherOrigin: String? = {
    guard let address, address.contains("//127.0.0.1:") else { return nil }
    return address.replacingOccurrences(of: "//127.0.0.1:", with: "//localhost:")
  }()
}

/// httpbin through its own transport, so that tests do not share connections.
struct HttpbinAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport

  init(_ kind: TransportKind, path: String = "") throws {
    baseURL = try #require(Httpbin.address) + path
    transport = try kind.makeTransport()
  }
}
