import Dispatch
import Foundation
import Measuring
import RESTKit
import Streams

/// The server of the calls: nginx, as `Benchmarks/peers.sh` runs it.
struct ScalePeer {
  /// The base URL at which it answers for all addresses of loopback.
  let scale: URL
  /// The process that serves the requests.
  let worker: Int

  init(url: String) async throws {
    let told = try await PeerAPI(baseURL: url).get(endpoint: "peer").value
    var lines: [String: String] = [:]
    for line in String(decoding: told.data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { lines[String(parts[0])] = String(parts[1]) }
    }
    guard let scale = lines["scale"].flatMap({ URL(string: $0) }),
      let worker = lines["worker"].flatMap({ Int($0) })
    else { throw Unsound("\(url) is not a server of this peers.sh") }
    self.scale = scale
    self.worker = worker
  }

  /// Starts the server, which runs until ``stop()``.
  static func start() async throws -> ScalePeer {
    let name = "RESTKIT_BENCHMARK_URL="
    let output = try script("start")
    guard output.hasPrefix(name) else { throw Unsound("peers.sh says \(output)") }
    return try await ScalePeer(url: output.dropFirst(name.count).trimmingCharacters(in: .newlines))
  }

  static func stop() {
    _ = try? script("stop")
  }

  /// Stops the server that was started when the program is interrupted.
  ///
  /// - Returns: The signal sources to keep.
  static func stopsWhenInterrupted(unless isForeign: Bool) -> [any DispatchSourceSignal] {
    [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if !isForeign { stop() }
        exit(128 + number)
      }
      source.resume()
      return source
    }
  }

  private static func script(_ command: String) throws -> String {
    var folder = URL(filePath: #filePath)
    for _ in 0..<4 { folder.deleteLastPathComponent() }
    let ended = try EndedProcess(folder.appending(path: "peers.sh"), [command])
    guard ended.status == 0 else { throw Unsound("peers.sh \(command) failed") }
    return ended.output
  }

  private struct PeerAPI: RESTAPI {
    let baseURL: String
  }
}

/// A program that has run, with its output.
struct EndedProcess {
  let output: String
  let status: Int32
  /// Whether a signal ended it, whose number is the status.
  let isKilled: Bool

  init(_ program: URL, _ arguments: [String]) throws {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    status = process.terminationStatus
    isKilled = process.terminationReason == .uncaughtSignal
  }
}
