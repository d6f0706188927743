import Foundation
import Matrix
import RESTKit
import Streams
import Testing

/// An instance of matrix-synapse of a test's own, which can be killed and started again.
final class SynapseServer {
  let address: String
  private let process: ServerProcess

  init() throws {
    let environment = ProcessInfo.processInfo.environment
    address = try #require(environment["RESTKIT_SYNAPSE_RESTARTED_URL"])
    process = ServerProcess(URL(filePath: try #require(environment["RESTKIT_SYNAPSE_SERVE"])))
  }

  func start() throws { try process.start() }

  func kill() { process.kill() }

  /// Returns once it answers.
  func answers() async throws {
    struct Site: RESTAPI {
      let baseURL: String
      let transport: any Transport
    }
    let site = Site(baseURL: address, transport: try TransportKind.default.makeTransport())
    _ = try await site.get(endpoint: "_matrix/client/versions")
      .retry(RetryPolicy(maxAttempts: 200, maxDelay: .milliseconds(500), budget: nil))
      .validateStatus().value
  }
}
