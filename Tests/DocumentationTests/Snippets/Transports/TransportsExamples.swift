import Foundation
import RESTKit
import Streams

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

    // snippet: socket
    struct DockerAPI: RESTAPI {
      // The host is what Docker is told; it takes any.
      let baseURL = "http://localhost/v1.45"
      let transport: any Transport

      init(socket: String = "/var/run/docker.sock") throws {
        transport = try CurlTransport(addresses: .unixSocket(socket))
      }
    }
    // end

    // snippet: fixed
    func makeStagingTransport(at address: String) throws -> CurlTransport {
      let host = HostAddresses(host: "api.example.com", port: 443, addresses: [address])
      return try CurlTransport(addresses: .fixed([host]))
    }
    // end

    // snippet: failover
    func makeTransport(of servers: [String]) throws -> FailoverTransport {
      try FailoverTransport(CurlTransport(), servers: servers, answerTimeout: .seconds(2))
    }

    func shop(at servers: [String]) throws -> ShopAPI {
      ShopAPI(baseURL: servers[0], transport: try makeTransport(of: servers))
    }
  // end
  #endif

  // snippet: executor
  func totals(
    of ids: [Int], in shop: ShopAPI, on executor: (any TaskExecutor)?
  ) async throws -> [Double] {
    try await withThrowingTaskGroup(of: Double.self) { group in
      for id in ids {
        group.addTask(executorPreference: executor) {
          try await shop.get(endpoint: "orders/\(id)").decode(type: Order.self).value.total
        }
      }
      var totals: [Double] = []
      for try await total in group { totals.append(total) }
      return totals
    }
  }
  // end

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
