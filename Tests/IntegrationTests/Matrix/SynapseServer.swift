import Foundation
import Matrix
import RESTKit
import Streams
import Testing

/// An instance of matrix-synapse of a test's own, which can be killed and started again.
final class SynapseServer {
  let address: String
  private let command: String
  private var process: Process?

  init() throws {
    let environment = ProcessInfo.processInfo.environment
    address = try #require(environment["RESTKIT_SYNAPSE_RESTARTED_URL"])
    command = try #require(environment["RESTKIT_SYNAPSE_SERVE"])
  }

  deinit { kill() }

  /// Returns before it listens.
  func start() throws {
    let process = Process()
    process.executableURL = URL(filePath: command)
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
  }

  /// Ends it as the kernel ends a process that is out of memory: without a word to anybody.
  func kill() {
    guard let process else { return }
    self.process = nil
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

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
