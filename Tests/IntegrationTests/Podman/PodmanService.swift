#if os(Linux)
  import Foundation
  import RESTKit
  import Testing

  /// A service of the test's own over the storage of the engine, which can be killed and started
  /// again at its socket.
  final class PodmanService {
    /// The socket of the engine that `run.sh` starts.
    static let shared = ProcessInfo.processInfo.environment["RESTKIT_PODMAN_SOCKET"]

    let socket: String
    private let command: URL
    private var process: Process?

    init() throws {
      let command = try #require(ProcessInfo.processInfo.environment["RESTKIT_PODMAN_SERVE"])
      self.command = URL(filePath: command)
      let number = UInt32.random(in: 0...UInt32.max)
      socket = self.command.deletingLastPathComponent().path() + "\(number).sock"
    }

    deinit {
      kill()
      try? FileManager.default.removeItem(atPath: socket)
    }

    /// Returns before it listens.
    func start() throws {
      let process = Process()
      process.executableURL = command
      process.arguments = [socket]
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

    /// The number of connections that it has, by the kernel's table.
    var connections: Int {
      get throws {
        let connected = "03"
        return try String(contentsOf: URL(filePath: "/proc/net/unix"), encoding: .utf8)
          .split(separator: "\n").map { $0.split(separator: " ") }
          .count { $0.last == socket[...] && $0[5] == connected[...] }
      }
    }
  }
#endif
