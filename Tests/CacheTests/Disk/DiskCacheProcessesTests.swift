import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Two processes that use one folder at the same time", .timeLimit(.minutes(10)))
struct DiskCacheProcessesTests {
  /// Numbers in files, which both processes read and one of them changes.
  private struct Numbers: Sendable {
    let folder: URL

    func get(_ name: String) -> Int {
      let data = try? Data(contentsOf: folder.appendingPathComponent(name))
      return data.flatMap { Int(String(decoding: $0, as: UTF8.self)) } ?? 0
    }

    func set(_ name: String, to number: Int) throws {
      try Data("\(number)".utf8).write(
        to: folder.appendingPathComponent(name), options: .atomic)
    }
  }

  /// What one process has found.
  private struct Findings: Sendable {
    var faults: [String] = []
    /// The hits by responses that the other process has stored.
    var others = 0
  }

  private static let keys = 4

  /// Reads, changes and removes as one of the processes.
  ///
  /// - Parameter goesOn: Whether there is another round.
  private static func act(
    as process: Int, in folder: URL, while goesOn: (Int) -> Bool
  ) async throws -> Findings {
    let numbers = Numbers(folder: folder)
    let cache = try HTTPCache(folder: folder.appendingPathComponent("cache"))
    let transport = AnsweringTransport(over: TransportIdentity(lasting: "")) { request in
      let key = request.url?.lastPathComponent ?? ""
      let edition = numbers.get("edition \(key)")
      guard request.httpMethod == "POST" else {
        return try RESTResponse(
          to: request, headers: ["Cache-Control": "max-age=600"],
          data: Data("\(key) \(edition) \(process)".utf8))
      }
      try numbers.set("edition \(key)", to: edition + 1)
      return try RESTResponse(to: request, data: Data("\(edition + 1)".utf8))
    }
    let api = TestAPI(baseURL: TestAPI.origin, transport: transport, cache: cache)
    var generator = SeededGenerator(seed: UInt64(process))
    var findings = Findings()
    var round = 0
    while goesOn(round) {
      round += 1
      let key = Int.random(in: 0..<keys, using: &generator)
      switch Int.random(in: 0..<20, using: &generator) {
      case 0: try await cache.removeAll().value
      case 1..<4 where key % 2 == process:
        let response = try await api.post(endpoint: "\(key)", body: nil).value
        try await cache.flush().value
        // From now on, it is true for all.
        try numbers.set("known \(key)", to: try #require(Int(response.text)))
      default:
        try await cache.flush().value
        let known = numbers.get("known \(key)")
        let response = try await api.get(endpoint: "\(key)").value
        let parts = response.text.split(separator: " ").compactMap { Int($0) }
        guard parts.count == 3, parts[0] == key, parts[1] >= known else {
          findings.faults.append("\(response.text) for \(key) \(known)")
          continue
        }
        if response.isFromCache, parts[2] != process { findings.others += 1 }
      }
    }
    return findings
  }

  @Test("No process finds what the other one has changed or removed")
  func changes() async throws {
    let folder = try TemporaryFolder()
    let url = folder.url
    let numbers = Numbers(folder: url)
    async let other: Void = {
      await #expect(processExitsWith: .exitCode(42)) {
        [path = url.path as String] in
        let folder = URL(filePath: path)
        let findings = try? await Self.act(as: 1, in: folder) { $0 < 400 }
        try Numbers(folder: folder).set("done", to: 1)
        _exit(findings?.faults == [] ? 42 : 1)
      }
    }()
    let findings = try await Self.act(as: 0, in: url) { round in
      !Task.isCancelled && (round < 400 || numbers.get("done") == 0)
    }
    await other
    #expect(findings.faults == [])
    #expect(findings.others > 0)
  }
}
