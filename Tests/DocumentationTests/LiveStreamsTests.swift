import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Synchronization
import Testing

@Suite("The examples of Docs/LiveStreams.md run", .leakFree)
struct LiveStreamsTests {
  private struct API: RESTAPI {
    let baseURL = "https://shop.example.com"
    let transport: any Transport
  }

  private func examples(_ path: String, _ body: String) -> LiveStreamsExamples {
    LiveStreamsExamples(
      api: API(
        transport: StubTransport(
          StubAPIResponse(
            request: Recipes.request(.get, path), result: .success(Data(body.utf8))))))
  }

  @Test("The lines of a log arrive, and the last one without its line end")
  func lines() async throws {
    let examples = examples("builds/7/log", "one\r\ntwo\u{2028}\nthree")
    #expect(try await examples.log(of: 7).allValues == ["one", "two\u{2028}", "three"])
    let chunks = Publishers.Sequence([Data([0x61, 0x0A, 0xFF])]).setFailureType(
      to: (any Error).self)
    await #expect(throws: RESTError.self) { try await examples.strictLines(of: chunks).allValues }
  }

  @Test("Rows arrive with a report of one that does not decode, or without it")
  func rows() async throws {
    let text = "{\"id\":1,\"name\":\"a\"}\n\n{\"id\":2}\n{\"id\":3,\"name\":\"c\"}\n"
    let error = await #expect(throws: RESTError.self) {
      try await examples("export.ndjson", text).rows().allValues
    }
    let report = try examples("", "").report(#require(error))
    #expect(
      try report.replacing("LiveStreamsExamples.", with: "")
        == Guide(at: "Docs/LiveStreams.md").output("report"))
    let told = Told()
    let rows = try await examples("export.ndjson", text).validRows { told.add($0) }.allValues
    #expect(rows.map(\.id) == [1, 3])
    #expect(told.count == 1)
  }

  @Test("Records of a sequence and events arrive")
  func sequences() async throws {
    let examples = examples("measurements", "\u{1E}[1,\n2]\n\u{1E}[3]\n")
    #expect(try await examples.measurements().allValues == [[1, 2], [3]])
    let text = "event: price\ndata: {\"id\":1,\ndata: \"name\":\"a\"}\n\ndata: other\n\n"
    let chunks = Publishers.Sequence([Data(text.utf8)]).setFailureType(to: (any Error).self)
    #expect(try await examples.prices(in: chunks).allValues.map(\.name) == ["a"])
  }
}

/// Counts the calls of a closure.
nonisolated private final class Told: Sendable {
  private let errors = Mutex<[RESTError]>([])

  var count: Int { errors.withLock { $0.count } }

  func add(_ error: RESTError) {
    errors.withLock { $0.append(error) }
  }
}
