import Dispatch
import Foundation
import Measuring
import RESTKit
import Streams

/// The server that all clients call: nginx, as `Benchmarks/peers.sh` runs it.
struct Peer: Sendable {
  /// The base URL, such as `http://127.0.0.1:8080`.
  let url: String
  /// The URL of the small response.
  let address: URL
  /// The path of a PEM file with the authority that signed the certificates of the other URLs.
  let authority: String
  /// The process that serves the requests.
  let worker: Int

  static let answer = #"{"id":1,"name":"a small one"}"#

  private let others: [String: String]

  /// Creates a peer, and requests the server's other URLs.
  init(url: String) async throws {
    let told = try await PeerAPI(baseURL: url, transport: CurlTransport()).get(endpoint: "peer")
      .value
    var others: [String: String] = [:]
    for line in String(decoding: told.data, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: "=", maxSplits: 1)
      if parts.count == 2 { others[String(parts[0])] = String(parts[1]) }
    }
    guard let address = URL(string: url + "/json"), let authority = others["authority"],
      let worker = others["worker"].flatMap({ Int($0) })
    else { throw Unsound("\(url) is not a server of peers.sh") }
    self.url = url
    self.address = address
    self.authority = authority
    self.worker = worker
    self.others = others
  }

  /// The target of a case's calls.
  func target(of traffic: Traffic) throws(Unsound) -> Target {
    try target(traffic, path: traffic.size == .small ? Target.small : "64k")
  }

  /// Returns a target whose response has one byte if the connection resumed a TLS session, or else
  /// none.
  func session(of traffic: Traffic) throws(Unsound) -> Target {
    try target(traffic, path: "session")
  }

  /// Returns a target whose response has one byte if the call came over HTTP/2, or else none.
  func version(of traffic: Traffic) throws(Unsound) -> Target {
    try target(traffic, path: "version")
  }

  /// Returns the number of bytes of a body.
  func bytes(of size: Traffic.Size) -> Int { size == .small ? Self.answer.utf8.count : 64 << 10 }

  private func target(_ traffic: Traffic, path: String) throws(Unsound) -> Target {
    let name =
      switch (traffic.wire, traffic.connections) {
      case (.plain, .kept): nil as String?
      case (.plain, .new): "http-new"
      case (.http1, .kept): "http1"
      case (.http1, .new): "http1-new"
      case (.http2, .kept): "http2"
      case (.http2, .new): "http2-new-\(traffic.callers)"
      }
    guard let base = name.map({ others[$0] }) ?? url else {
      throw Unsound("\(url) does not report a URL for \(traffic.title)")
    }
    return try Target(base: base, path: path, traffic: traffic)
  }

  /// Starts the server, which runs until ``stop()``.
  static func start() async throws -> Peer {
    let name = "RESTKIT_BENCHMARK_URL="
    let output = try script("start")
    guard output.hasPrefix(name) else { throw Unsound("peers.sh says \(output)") }
    return try await Peer(url: output.dropFirst(name.count).trimmingCharacters(in: .newlines))
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
    return try output(of: folder.appending(path: "peers.sh"), [command])
  }

  /// Runs a program and returns its output.
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
