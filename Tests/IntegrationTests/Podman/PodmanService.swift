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
    private let process: ServerProcess

    init() throws {
      let path = try #require(ProcessInfo.processInfo.environment["RESTKIT_PODMAN_SERVE"])
      let command = URL(filePath: path)
      let number = UInt32.random(in: 0...UInt32.max)
      socket = command.deletingLastPathComponent().path() + "\(number).sock"
      process = ServerProcess(command, socket)
    }

    deinit {
      kill()
      try? FileManager.default.removeItem(atPath: socket)
    }

    func start() throws { try process.start() }

    func kill() { process.kill() }

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
