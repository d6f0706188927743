import Foundation
import RESTKit

/// The examples of Docs/Transports.md.
struct TransportsExamples {
  #if os(Linux)
    // snippet: tls
    func makeBankTransport(certificatesIn folder: URL) throws -> CurlTransport {
      var tls = TLSOptions()
      tls.authorities = .file(folder.appending(path: "ca.pem"))
      tls.clientCertificate = ClientCertificate(
        certificate: folder.appending(path: "client.pem"), key: folder.appending(path: "client.key")
      )
      tls.pinnedPublicKeys = ["sha256//YhKJKSzoTt2b5FP18fvpHo7fJYqQCjAa3HWY3tvRMwE="]
      return try CurlTransport(tls: tls)
    }
  // end
  #endif

  // snippet: exchange
  func observed(
    _ transport: any Transport, log: @escaping @Sendable (String) -> Void
  ) -> ObservedTransport {
    ObservedTransport(transport) { exchange in
      log("\(exchange): \(exchange.metrics?.description ?? "")")
    }
  }
  // end
}
