import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A recording is made once and then played", .timeLimit(.minutes(10)))
struct RecordingTests {
  private static func orders() throws -> RecordingBench {
    try RecordingBench { request in
      switch (request.method, request.path) {
      case ("GET", "/orders"): .json(#"[{"id": 7, "sku": "A-1"}]"#)
      case ("POST", "/orders"): .json(#"{"id": 8}"#, status: 201)
      default: MockResponse(status: 404)
      }
    }
  }

  @Test("The first run writes the file, and the second has the same result without the server")
  func once() async throws {
    let bench = try Self.orders()
    let (recorded, played) = try await bench.recordAndPlay { api in
      let orders = try await api.get(endpoint: "orders").value
      let created = try await api.post(endpoint: "orders", body: .json(["sku": "A-1"])).value
      let missing = try await api.get(endpoint: "nothing").value
      return [orders, created, missing].map { response in
        "\(response.statusCode) \(response.headers["Content-Type"] ?? "") "
          + String(decoding: response.data, as: UTF8.self)
      }
    }
    #expect(recorded == played)
    #expect(played.map { $0.prefix(3) } == ["200", "201", "404"])
    #expect(bench.server.requests.count == 3)
  }

  @Test("A recorded path is compared segment by segment, decoded")
  func paths() async throws {
    let bench = try RecordingBench { _ in .text("found") }
    let recorder = try bench.recorder()
    _ = try await bench.api(recorder).get(url: bench.url("/rooms/!a%2Fb")).value
    try recorder.verify()
    let player = try bench.player()
    let played = try await bench.api(player).get(url: bench.url("/rooms/%21a%2fb")).value
    #expect(played.data == Data("found".utf8))
  }

  @Test("In the mode once, an existing file is played, and a missing one is recorded")
  func modeOnce() async throws {
    let bench = try Self.orders()
    for count in [1, 1] {
      let stubs = try bench.recorder(mode: .once)
      let response = try await bench.api(stubs).get(endpoint: "orders").value
      #expect(response.data == Data(#"[{"id": 7, "sku": "A-1"}]"#.utf8))
      try stubs.verify()
      #expect(bench.server.requests.count == count)
    }
  }

  @Test("In the mode always, the file is recorded again")
  func modeAlways() async throws {
    let bench = try Self.orders()
    for endpoint in ["orders", "nothing"] {
      let stubs = try bench.recorder(mode: .always)
      _ = try await bench.api(stubs).get(endpoint: endpoint).value
      try stubs.verify()
    }
    #expect(try bench.text.contains("/nothing"))
    #expect(try !bench.text.contains("/orders"))
  }

  @Test("In the mode never, a missing file is an error with its remedy")
  func modeNever() throws {
    let bench = try Self.orders()
    let error = #expect(throws: RecordingError.self) { try bench.player() }
    #expect(error == .missing(path: bench.file.path))
    #expect(error?.description.contains("Run the test with RESTKIT_RECORD=1") == true)
  }

  @Test("Two runs write the same bytes, except for times")
  func deterministic() async throws {
    let bench = try Self.orders()
    let clock = RecordingClock(
      scheduler: TestScheduler(), date: { Date(timeIntervalSince1970: 1_000_000) })
    let texts = try await [1, 2].asyncMap { _ in
      let stubs = try StubTransport.record(
        RecordingFile(bench.file.path, besides: ""), over: .shared, mode: .always,
        names: RecordedNames(), bodyLimit: 1_000, scheduler: .immediate, clock: clock,
        location: StubLocation())
      let form: MultipartForm = [.text(name: "title", "tea")]
      _ = try await bench.api(stubs).post(endpoint: "orders", body: .multipart(form)).value
      _ = try await bench.api(stubs).post(
        endpoint: "orders", body: .json(["password": UUID().uuidString])
      )
      .value
      try stubs.verify()
      return try bench.text
    }
    #expect(texts[0] == texts[1])
  }

  @Test("Exchanges with equal requests play in their order, and others in any order")
  func order() async throws {
    let answers = Counter()
    let bench = try RecordingBench { request in
      .text("\(request.path) \(answers.next())")
    }
    let recorder = try bench.recorder()
    for path in ["a", "b", "a"] { _ = try await bench.api(recorder).get(endpoint: path).value }
    try recorder.verify()
    let player = try bench.player()
    var texts: [String] = []
    for path in ["b", "a", "a"] {
      let response = try await bench.api(player).get(endpoint: path).value
      texts.append(String(decoding: response.data, as: UTF8.self))
    }
    #expect(texts == ["/b 2", "/a 1", "/a 3"])
    try player.verify()
  }

  @Test("A relative path starts at the source file's folder, and missing folders are created")
  func relativePath() throws {
    let file = RecordingFile("Fixtures/orders.har", besides: "/tests/ShopTests/OrderTests.swift")
    #expect(file.url.path == "/tests/ShopTests/Fixtures/orders.har")
    let other = RecordingFile("../orders.har", besides: "/tests/ShopTests/OrderTests.swift")
    #expect(other.url.path == "/tests/orders.har")
    #expect(RecordingFile("/a/b.har", besides: "/c/d.swift").url.path == "/a/b.har")
  }

  @Test("A body that is not text plays byte for byte")
  func binary() async throws {
    let bytes = Data((0...255).map { UInt8($0) })
    let bench = try RecordingBench { request in
      MockResponse(status: 200, headers: [("Content-Type", "image/png")], body: request.body)
    }
    let (recorded, played) = try await bench.recordAndPlay { api in
      try await api.post(endpoint: "images", body: .data(bytes, contentType: "image/png")).value
        .data
    }
    #expect(recorded == bytes)
    #expect(played == bytes)
    #expect(try bench.text.contains(#""encoding" : "base64""#))
  }

  @Test("An invalid recording is an error that names the place")
  func invalid() throws {
    let bench = try Self.orders()
    try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
    try Data(#"{"log": {"entries": [{}]}}"#.utf8).write(to: bench.file)
    let error = #expect(throws: RecordingError.self) { try bench.player() }
    #expect(error?.description.contains("log.entries[0].request.url is not a string") == true)
    try FileManager.default.removeItem(at: bench.file)
    try FileManager.default.createDirectory(at: bench.file, withIntermediateDirectories: true)
    let unreadable = #expect(throws: RecordingError.self) { try bench.player() }
    #expect(
      unreadable?.description.hasPrefix("The recording \(bench.file.path) cannot be read") == true)
  }

  @Test(
    "The environment variables CI and RESTKIT_RECORD set the recording mode",
    arguments: [
      ([:], .once), (["CI": "true"], .never), (["CI": "1"], .never), (["CI": "false"], .once),
      (["CI": "true", "RESTKIT_RECORD": "1"], .always), (["RESTKIT_RECORD": "0"], .never),
      (["RESTKIT_RECORD": "YES"], .always), (["CI": "true", "RESTKIT_RECORD": "once"], .once),
    ] as [([String: String], RecordingMode)])
  func environment(environment: [String: String], mode: RecordingMode) throws {
    #expect(try RecordingMode.automatic.resolved(in: environment) == mode)
    #expect(try RecordingMode.never.resolved(in: environment) == .never)
  }

  @Test("An unknown value of RESTKIT_RECORD is an error that names it")
  func unknownMode() {
    let error = #expect(throws: RecordingError.self) {
      try RecordingMode.automatic.resolved(in: ["RESTKIT_RECORD": "maybe"])
    }
    #expect(error?.description.hasPrefix("RESTKIT_RECORD is \"maybe\".") == true)
  }
}

/// Counts from 1.
final class Counter: Sendable {
  private let count = Lock(0)

  func next() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

extension Sequence {
  func asyncMap<Value>(_ transform: (Element) async throws -> Value) async rethrows -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await transform(element)) }
    return values
  }
}
