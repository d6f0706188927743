import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(
  "A recording is written only after a successful run, and reports changes",
  .timeLimit(.minutes(10)))
struct RecordingFailureTests {
  private static func bench() throws -> RecordingBench {
    try RecordingBench { request in .text("\(request.path) of the server") }
  }

  private func failures(of test: () async throws -> Void) async -> [StubFailure] {
    var failures: [StubFailure] = []
    try? await StubTransport.verifyingAll(test) { failures.append($0) }
    return failures
  }

  @Test("A scope writes the file when its test ends, and not before")
  func scope() async throws {
    let bench = try Self.bench()
    let failures = await failures {
      let stubs = try bench.recorder()
      _ = try await bench.api(stubs).get(endpoint: "a").value
      #expect(!bench.isWritten)
    }
    #expect(failures.isEmpty)
    #expect(bench.isWritten)
  }

  @Test("A test that throws writes no file, and an existing file stays")
  func thrown() async throws {
    let bench = try Self.bench()
    for _ in 1...2 {
      _ = await failures {
        let stubs = try bench.recorder()
        _ = try await bench.api(stubs).get(endpoint: "a").value
        throw TestFailure()
      }
      #expect(!bench.isWritten)
    }
    StubTransport.verifyingAll {
      _ = try? bench.recorder()
    } report: { _ in
    }
    let before = try bench.text
    await #expect(throws: TestFailure.self) {
      try await StubTransport.verifyingAll {
        _ = try await bench.api(bench.recorder()).get(endpoint: "b").value
        throw TestFailure()
      } report: { _ in
      }
    }
    #expect(try bench.text == before)
  }

  @Test("A test with another failure writes no file")
  func otherFailure() async throws {
    let bench = try Self.bench()
    let failures = await failures {
      let stubs = try bench.recorder()
      _ = try await bench.api(stubs).get(endpoint: "a").value
      _ = try? StubTransport().text("/x")
    }
    #expect(failures.map(\.kind) == [.unmatchedRequest])
    #expect(!bench.isWritten)
  }

  @Test("An exchange in progress is a failure, and no file is written")
  func pending() throws {
    let bench = try Self.bench()
    let source = StubTransport(
      StubAPIResponse(request: .get("/a"), delay: .seconds(9)), scheduler: TestScheduler())
    let recorder = try StubTransport.record(to: bench.file.path, over: source, mode: .always)
    let call = try recorder.subscriber("/a")
    let error = #expect(throws: StubError.self) { try recorder.verify() }
    #expect(error?.failures.map(\.kind) == [.recordingFailed])
    #expect(
      error?.description.contains("GET \(base)/a cannot be recorded: it is still under way") == true
    )
    #expect(!bench.isWritten)
    call.cancel()
    try recorder.verify()
    #expect(bench.isWritten)
  }

  @Test("An error other than TransportError is a failure, because a file cannot hold it")
  func otherError() throws {
    let bench = try Self.bench()
    let source = StubTransport(
      StubAPIResponse(request: .get("/a"), result: .failure(TestFailure())))
    let recorder = try StubTransport.record(to: bench.file.path, over: source, mode: .always)
    #expect(throws: TestFailure.self) { try recorder.text("/a") }
    let error = #expect(throws: StubError.self) { try recorder.verify() }
    #expect(
      error?.description.contains(
        "it failed with an error that is not a TransportError: TestFailure") == true)
  }

  @Test("A response over the limit is a failure, and a request body over it is compared by size")
  func limit() async throws {
    let bench = try RecordingBench {
      .text(String(repeating: "a", count: $0.path == "/a" ? 11 : 10))
    }
    let recorder = try bench.recorder(bodyLimit: 10)
    _ = try await bench.api(recorder).get(endpoint: "a").value
    let error = #expect(throws: StubError.self) { try recorder.verify() }
    #expect(
      error?.description.contains("its response has 11 bytes. Raise bodyLimit, which is 10.")
        == true)

    let other = try bench.recorder(bodyLimit: 10)
    let body = Data(repeating: 97, count: 11)
    _ = try await bench.api(other).post(endpoint: "b", body: .data(body)).value
    try other.verify()
    let player = try bench.player()
    _ = try await bench.api(player).post(endpoint: "b", body: .data(body)).value
    try player.verify()
    let changed = await #expect(throws: StubError.self) {
      try await bench.api(bench.player()).post(endpoint: "b", body: .data(body + body)).value
    }
    #expect(changed?.description.contains("- body: 11 bytes\n    + body: 22 bytes") == true)
  }

  @Test("A file that cannot be written is a failure that names it")
  func unwritable() async throws {
    let bench = try Self.bench()
    let recorder = try StubTransport.record(
      to: "/dev/null/orders.har", over: StubTransport(.text("1", for: "/a")), mode: .always)
    try recorder.text("/a")
    let error = #expect(throws: StubError.self) { try recorder.verify() }
    #expect(
      error?.description.hasPrefix("The recording /dev/null/orders.har was not written.\n") == true)
    _ = bench
  }

  @Test("An unrecorded request and an unsent one are reported with their nearest match")
  func changed() async throws {
    let bench = try Self.bench()
    let recorder = try bench.recorder()
    _ = try await bench.api(recorder).post(endpoint: "orders", body: .json(["sku": "A-1"])).value
    _ = try await bench.api(recorder).get(endpoint: "a").value
    try recorder.verify()

    let line = #line + 1
    let player = try bench.player()
    let error = await #expect(throws: StubError.self) {
      try await bench.api(player).post(endpoint: "orders", body: .json(["sku": "A-2"])).value
    }
    let root = bench.server.baseURL
    #expect(
      error?.description == """
        No stub for POST \(root)/orders.
        The stubs, the nearest first (- expected, + sent):
          POST \(root)/orders → 200 (orders.har, entry 1), next
            - body $.sku: "A-1"
            + body $.sku: "A-2"
          GET \(root)/a → 200 (orders.har, entry 2), next
            - method: GET
            + method: POST
            - path: /a
            + path: /orders
            - header Content-Type: (none)
            + header Content-Type: application/json
            - body: (none)
            + body: 13 bytes
        Correct what differs, or record the exchanges again with RESTKIT_RECORD=1.
        """)
    #expect(error?.failures.map(\.location.line) == [UInt(line)])

    let unused = #expect(throws: StubError.self) { try bench.player().verify() }
    #expect(
      unused?.failures.last?.description == """
        No request came for GET \(root)/a → 200 (orders.har, entry 2).
        Find out why the request was not sent, or record again with RESTKIT_RECORD=1.
        """)
  }

  @Test("A call that failed is recorded as one that has ended")
  func failed() async throws {
    let bench = try RecordingBench { _ in
      MockResponse(
        status: 200, headers: [("Content-Length", "9")], body: Data("a".utf8), delivery: .whole)
    }
    let recorder = try bench.recorder()
    await #expect(throws: RESTError.self) {
      try await bench.api(recorder).get(endpoint: "a").value
    }
    try recorder.verify()
    #expect(bench.isWritten)
  }

  @Test("A secret in a body that was not recorded is not in the report")
  func unrecordedSecret() async throws {
    let bench = try Self.bench()
    let recorder = try bench.recorder()
    _ = try await bench.api(recorder).post(endpoint: "a", body: .json(["user": "ada"])).value
    try recorder.verify()
    let error = await #expect(throws: StubError.self) {
      let body: JSONValue = ["user": "eve", "login": ["password": "canary"]]
      return try await bench.api(bench.player()).post(endpoint: "a", body: .json(body)).value
    }
    #expect(error?.description.contains("+ body $.user: \"eve\"") == true, "\(error as Any)")
    #expect(error?.description.contains("canary") == false, "\(error as Any)")
  }

  @Test(
    "The query, path, form, text, bytes and header fields of a request are compared",
    arguments: [
      ("/a?x=2", "text", "text/plain", "query x"), ("/b?x=1", "text", "text/plain", "path"),
      ("/a?x=1", "other", "text/plain", "body"),
      ("/a?x=1", "text", "text/html", "header Content-Type"),
      ("/a?x=1", "", "text/plain", "body"),
    ])
  func compared(path: String, body: String, type: String, part: String) async throws {
    let bench = try Self.bench()
    func send(_ stubs: StubTransport, _ path: String, _ body: String, _ type: String) async throws {
      var request = URLRequest(url: try bench.url(path))
      request.httpMethod = "POST"
      request.httpBody = Data(body.utf8)
      request.setValue(type, forHTTPHeaderField: "Content-Type")
      _ = try await stubs.response(for: request).value
    }
    let recorder = try bench.recorder()
    try await send(recorder, "/a?x=1", "text", "text/plain")
    try recorder.verify()
    let player = try bench.player()
    let error = await #expect(throws: StubError.self) {
      try await send(player, path, body, type)
    }
    #expect(error?.description.contains("    - \(part): ") == true)
    try await send(player, "/a?x=1", "text", "text/plain")
  }
}
