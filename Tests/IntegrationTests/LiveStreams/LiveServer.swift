import Foundation
import Testing

/// A server of live streams of the test's own, which can be killed and started again at its port.
final class LiveServer {
  let port: UInt16
  private var process: Process?

  init() throws {
    let probe = socket(AF_INET, RawSocket.streamType, 0)
    port = try RawSocket.listen(probe)
    close(probe)
    try start()
  }

  deinit { kill() }

  var address: String { "http://127.0.0.1:\(port)" }

  /// Returns once the server listens.
  func start() throws {
    let process = Process()
    process.executableURL = try Peer.eventsPython.file
    process.arguments = [try Peer.eventsServer.text, "--port", "\(port)"]
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    self.process = process
    var word = Data()
    while !word.contains(UInt8(ascii: "\n")) {
      let more = output.fileHandleForReading.availableData
      guard !more.isEmpty else { break }
      word += more
    }
    try #require(word == Data("ready\n".utf8))
  }

  /// Ends it as the kernel ends a process that is out of memory: without a word to anybody.
  func kill() {
    guard let process else { return }
    self.process = nil
    _ = Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }
}
