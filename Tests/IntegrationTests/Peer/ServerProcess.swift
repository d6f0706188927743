import Foundation

/// A server of a test's own, which can be killed and started again.
final class ServerProcess {
  private let command: URL
  private let arguments: [String]
  private var process: Process?

  init(_ command: URL, _ arguments: String...) {
    self.command = command
    self.arguments = arguments
  }

  deinit { kill() }

  /// Returns before it listens.
  func start() throws {
    let process = Process()
    process.executableURL = command
    process.arguments = arguments
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
}
