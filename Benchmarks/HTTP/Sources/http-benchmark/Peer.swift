import Dispatch
import Foundation
import Measuring

/// The server that all clients call: nginx, as `Benchmarks/peers.sh` runs it.
struct Peer: Sendable {
  /// Such as `http://127.0.0.1:8080`.
  let url: String
  /// Where the small answer is.
  let address: URL

  let answer = #"{"id":1,"name":"a small one"}"#

  init(url: String) throws(Unsound) {
    guard let address = URL(string: url + "/json") else { throw Unsound("\(url) is no URL") }
    self.url = url
    self.address = address
  }

  /// Starts the server; it runs until ``stop()``.
  static func start() throws -> Peer {
    let name = "RESTKIT_BENCHMARK_URL="
    let output = try script("start")
    guard output.hasPrefix(name) else { throw Unsound("peers.sh says \(output)") }
    return try Peer(url: output.dropFirst(name.count).trimmingCharacters(in: .newlines))
  }

  static func stop() {
    _ = try? script("stop")
  }

  /// Sees to it that a server that was started does not outlive an interrupt.
  ///
  /// - Returns: What has to be kept for that.
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
    return try output(of: folder.appending(path: "peers.sh"), [command])
  }

  /// What a program prints; nothing else is in its way.
  static func output(of program: URL, _ arguments: [String]) throws -> String {
    let process = Process()
    let pipe = Pipe()
    process.executableURL = program
    process.arguments = arguments
    process.standardOutput = pipe
    try process.run()
    let data = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Unsound("\(program.lastPathComponent) failed")
    }
    return String(decoding: data, as: UTF8.self)
  }
}
