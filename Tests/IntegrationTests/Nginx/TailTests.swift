import Foundation
import RESTKit
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension IntegrationTests.Nginx {
  /// nginx makes the `ETag` of a file from its time and its length, so each line changes it.
  @Suite("The tail of a file that grows", .timeLimit(.minutes(5)))
  struct Tails {
    /// A log in the folder that nginx serves.
    private struct Log {
      let name = "\(UUID().uuidString).log"
      private let file: URL

      init(_ text: String) throws {
        file = try Peer.logs.file.appending(path: name)
        try Data(text.utf8).write(to: file)
      }

      func remove() { try? FileManager.default.removeItem(at: file) }

      func append(_ text: String) throws {
        let handle = try FileHandle(forWritingTo: file)
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
      }

      /// Puts a new file in its place, as `logrotate` does.
      func rotate(_ text: String) throws {
        try Data(text.utf8).write(to: file, options: .atomic)
      }
    }

    private static let policy = ReconnectPolicy(
      delay: .milliseconds(100), maxDelay: .milliseconds(100))

    private func tail(
      of log: Log, _ kind: TransportKind, _ policy: ReconnectPolicy = policy,
      version: ContentVersion = .length, ifReplaced replaced: ReplacedContent = .beginAgain
    ) throws -> AnyPublisher<String, any Error> {
      let name = log.name
      return PeerAPI(try Peer.plain.text, try kind.makeTransport())
        .events(endpoint: "files/logs/\(name)") { request in
          request.settingHeader("Accept-Encoding", to: "identity")
        }
        .follow(policy, version: version, ifReplaced: replaced) { request, offset in
          request.settingHeader("Range", to: "bytes=\(offset)-")
        }
        .validateStatus()
        .lines()
        .eraseToAnyPublisher()
    }

    @Test(
      "A line arrives once, whole, and a rotated file begins again",
      arguments: TransportKind.allCases
    )
    func growth(kind: TransportKind) async throws {
      let log = try Log("one\ntw")
      defer { log.remove() }
      var lines: [String] = []
      for try await line in try tail(of: log, kind).values {
        lines.append(line)
        switch line {
        case "one": try log.append("o\nthree\nfo")
        case "three": try log.append("ur\n")
        case "four": try log.rotate("new\n")
        default: break
        }
        if line == "new" { break }
      }
      #expect(lines == ["one", "two", "three", "four", "new"])
    }

    @Test(
      "A file that does not grow finishes the tail, as often as the policy says",
      arguments: TransportKind.allCases)
    func still(kind: TransportKind) async throws {
      let log = try Log("one\n")
      defer { log.remove() }
      var policy = Self.policy
      policy.maxFailures = 2
      #expect(try await tail(of: log, kind, policy).allValues == ["one"])
    }

    @Test(
      "By its tag, a file that has grown is another version", arguments: TransportKind.allCases)
    func tag(kind: TransportKind) async throws {
      let log = try Log("one\n")
      defer { log.remove() }
      var lines: [String] = []
      let error = await #expect(throws: RESTError.self) {
        for try await line in try tail(of: log, kind, version: .entityTag, ifReplaced: .fail).values
        {
          lines.append(line)
          if line == "one" { try log.append("two\n") }
        }
      }
      #expect(lines == ["one"])
      #expect(error?.underlyingError is ContentReplacedError)
    }
  }
}
