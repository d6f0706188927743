import Fixtures
import Foundation
import IdentityKit
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitReports

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("ST-11: recording traffic as HAR 1.2", .timeLimit(.minutes(10)))
struct HARRecorderTests {
  private static let url = "https://api.example.com/v1/a"

  private func entry(_ har: HAR, _ index: Int = 0) throws -> JSONValue {
    try #require(try HARFixtures.json(har.data)["log"]?["entries"]?.array)[index]
  }

  @Test("A recording equals the golden file, and is valid")
  func golden() async throws {
    let recorder = HARFixtures.recorder(HARFixtures.refreshedProfile())
    _ = try await HARFixtures.service(recorder).fetchProfile.value.get()
    let data = recorder.har.data
    #expect(try HARFixtures.violations(data) == [])
    if ProcessInfo.processInfo.environment["WRITE_GOLDEN"] != nil {
      try data.write(to: HARFixtures.folder.appending(path: "refresh.har"))
    }
    // As values: Foundation's line breaks are its own on each platform.
    #expect(try HARFixtures.json(HARFixtures.golden("refresh.har")) == HARFixtures.json(data))
    #expect(
      recorder.har.description == """
        GET https://id.example.com/me → 401
        POST https://id.example.com/auth/refresh → 200
        GET https://id.example.com/me → 200
        """)
  }

  @Test("Real traffic has its times, which add up, and its peer", arguments: TransportKind.allCases)
  func realTraffic(kind: TransportKind) async throws {
    let server = try MockServer { _ in .json(#"{"a": 1}"#, status: 201) }
    defer { server.stop() }
    let recorder = HARRecorder(try kind.make(), redaction: .none)
    let api = TestAPI(baseURL: server.baseURL, transport: recorder)
    _ = try await api.post(
      endpoint: "a", query: [URLQueryItem(name: "q", value: "1 2")],
      body: .data(Data(#"{"b":2}"#.utf8))
    ) { $0.sendingJSON() }.value
    let whole = try await api.events(endpoint: "a").collect().value
    #expect(whole.count >= 2)
    #expect(try HARFixtures.violations(recorder.har.data) == [])
    let entry = try entry(recorder.har)
    #expect(entry["request"]?["postData"]?["text"] == #"{"b":2}"#)
    #expect(entry["request"]?["queryString"] == [["name": "q", "value": "1 2"]])
    #expect(entry["response"]?["status"] == 201)
    #expect(entry["response"]?["content"]?["text"] == #"{"a": 1}"#)
    #expect(try self.entry(recorder.har, 1)["response"]?["content"]?["text"] == #"{"a": 1}"#)
    for entry in [entry, try self.entry(recorder.har, 1)] {
      let timings = try #require(entry["timings"]?.object)
      let parts = ["blocked", "dns", "connect", "send", "wait", "receive"]
        .compactMap { timings[$0]?.number }.filter { $0 >= 0 }
      #expect(abs(parts.reduce(0, +) - (entry["time"]?.number ?? -1)) < 0.01)
    }
    #if os(Linux)
      if kind == .curl { #expect(entry["serverIPAddress"] == "127.0.0.1") }
    #endif
  }

  @Test("Times are recorded as durations, with TLS in the connect time")
  func timings() {
    func milliseconds(_ value: Double) -> Duration { .microseconds(Int64(value * 1_000)) }
    let cold = ExchangeMetrics(
      queued: milliseconds(1.5), nameLookup: milliseconds(2), connect: milliseconds(3),
      secureConnect: milliseconds(6), sending: milliseconds(4), waiting: milliseconds(16),
      receiving: milliseconds(3.5), total: milliseconds(36), isConnectionReused: false)
    let timings = HARTimings(cold, duration: milliseconds(40))
    #expect(
      timings.json == [
        "blocked": JSONValue(5.5), "dns": 2, "connect": 9, "ssl": 6, "send": 4, "wait": 16,
        "receive": JSONValue(3.5),
      ])
    #expect(timings.total == 40)
    var warm = cold
    (warm.nameLookup, warm.connect, warm.secureConnect) = (.zero, .zero, .zero)
    warm.isConnectionReused = true
    #expect(
      HARTimings(warm, duration: milliseconds(25)).json == [
        "blocked": JSONValue(1.5), "dns": -1, "connect": -1, "ssl": -1, "send": 4, "wait": 16,
        "receive": JSONValue(3.5),
      ])
    #expect(HARTimings(nil, duration: milliseconds(7)).total == 7)
  }

  @Test("If a transport reports only some times, the others stay unknown")
  func someTimings() {
    let metrics = ExchangeMetrics(waiting: .milliseconds(7))
    #expect(
      HARTimings(metrics, duration: .milliseconds(9)).json == [
        "blocked": 2, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 7, "receive": 0,
      ])
    let ends = ExchangeMetrics(receiving: .milliseconds(3), total: .milliseconds(8))
    #expect(
      HARTimings(ends, duration: .milliseconds(9)).json == [
        "blocked": 1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 5, "receive": 3,
      ])
  }

  @Test("A connection without TLS has no TLS time, and fractions of a millisecond count")
  func shortTimings() {
    let metrics = ExchangeMetrics(
      nameLookup: .zero, connect: .microseconds(500), secureConnect: .zero, waiting: .zero,
      receiving: .microseconds(250), total: .microseconds(750), isConnectionReused: false)
    let timings = HARTimings(metrics, duration: .milliseconds(1))
    #expect(
      timings.json == [
        "blocked": JSONValue(0.25), "dns": 0, "connect": JSONValue(0.5), "ssl": -1, "send": 0,
        "wait": 0, "receive": JSONValue(0.25),
      ])
    #expect(timings.total == 1)
  }

  @Test("Unknown facts are written in HAR's way")
  func unknown() async throws {
    let recorder = HARFixtures.recorder(
      StubTransport(.get, Self.url + "?flag", statusCode: 299), redaction: .none)
    let chunks = Just(Data("a".utf8)).setFailureType(to: (any Error).self)
    let request = URLRequest(url: try #require(URL(string: Self.url + "?flag")))
    _ = try await recorder.events(for: request, body: .chunks(chunks)).allValues
    let entry = try entry(recorder.har)
    #expect(entry["request"]?["bodySize"] == -1)
    #expect(entry["request"]?["queryString"] == [["name": "flag", "value": ""]])
    #expect(entry["response"]?["statusText"] == "")
    #expect(try HARFixtures.violations(recorder.har.data) == [])
  }

  @Test("A recorder has the limits of the transport that it records")
  func limits() {
    var limits = TransportLimits()
    limits.bodyBytes = 7
    #expect(HARRecorder(URLSessionTransport(limits: limits)).limits == limits)
  }

  @Test("A failure is an entry with the status 0; a cancelled request has no entry")
  func failures() throws {
    let clock = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.url), result: .failure(TestFailure()))
        .thenRespondWith(request: .init(.get, urlString: Self.url), delay: .seconds(1)),
      scheduler: clock)
    let recorder = HARFixtures.recorder(stubs, clock: clock)
    let api = TestAPI(transport: recorder)
    let failed = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: failed)
    let cancelled = TestSubscriber<RESTResponse, any Error>()
    api.get(endpoint: "a").receive(subscriber: cancelled)
    cancelled.cancel()
    clock.run()
    #expect(recorder.har.entries.map(\.statusCode) == [0])
    #expect(try HARFixtures.violations(recorder.har.data) == [])
    #expect(try entry(recorder.har)["response"]?["_error"] == "TestFailure")
    #expect(try entry(recorder.har)["response"]?["_fault"] == nil)
  }

  @Test("Entries are in the order in which they began")
  func order() throws {
    let clock = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.url), delay: .seconds(2)),
      StubAPIResponse(request: .init(.put, urlString: Self.url), delay: .seconds(1)),
      scheduler: clock)
    let recorder = HARFixtures.recorder(stubs, clock: clock)
    let api = TestAPI(transport: recorder)
    let subscribers = [TestSubscriber<RESTResponse, any Error>(), TestSubscriber()]
    api.get(endpoint: "a").receive(subscriber: subscribers[0])
    api.put(endpoint: "a", body: nil).receive(subscriber: subscribers[1])
    clock.advance(by: .seconds(1))
    #expect(recorder.har.entries.map(\.request.method) == [.put])
    clock.advance(by: .seconds(1))
    #expect(recorder.har.entries.map(\.request.method) == [.get, .put])
    #expect(try entry(recorder.har)["time"] == 2_000)
  }

  @Test("A body that is not text is kept as base64, and one over the limit is left out")
  func bodies() async throws {
    let bytes = Data([0xFF, 0, 1])
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.put, urlString: Self.url), result: .success(bytes))
        .thenRespondWith(
          request: .init(.put, urlString: Self.url), result: .success(Data(count: 9)))
    )
    let recorder = HARFixtures.recorder(stubs, redaction: .none, bodyLimit: 8)
    let api = TestAPI(transport: recorder)
    _ = try await api.put(endpoint: "a", body: .data(bytes)).value
    _ = try await api.put(endpoint: "a", body: .data(Data(count: 9))).value
    #expect(recorder.har.entries.map(\.responseBody) == [bytes, Data()])
    #expect(try HARFixtures.violations(recorder.har.data) == [])
    let content = try entry(recorder.har, 1)["response"]?["content"]
    #expect(content?["comment"] == "9 bytes, left out")
    #expect(content?["size"] == 9)
    #expect(try entry(recorder.har)["request"]?["postData"]?["comment"] == "3 bytes, left out")
  }

  @Test("A whole body is kept up to the limit, and so is the request's", arguments: [8, 9])
  func limit(size: Int) async throws {
    let body = Data(repeating: 0x61, count: size)
    let stubs = StubTransport(.put, Self.url, result: .success(body))
    let recorder = HARFixtures.recorder(stubs, redaction: .none, bodyLimit: 8)
    _ = try await TestAPI(transport: recorder).put(endpoint: "a", body: .data(body)).value
    let kept = size == 8 ? "aaaaaaaa" : ""
    #expect(recorder.har.entries.map(\.responseBody) == [Data(kept.utf8)])
    let posted = try entry(recorder.har)["request"]?["postData"]
    #expect(posted?["text"] == .string(kept))
  }

  @Test("The default limit is one MiB", arguments: [1 << 20, (1 << 20) + 1])
  func defaultLimit(size: Int) async throws {
    let stubs = StubTransport(
      .get, Self.url, result: .success(Data(repeating: 0x61, count: size)))
    let recorder = HARRecorder(stubs, redaction: .none)
    _ = try await TestAPI(transport: recorder).get(endpoint: "a").value
    #expect(recorder.har.entries.map(\.responseBody.count) == [size == 1 << 20 ? size : 0])
  }

  @Test("A request's own body is recorded for an exchange in pieces, too")
  func ownBody() async throws {
    let recorder = HARFixtures.recorder(StubTransport(.put, Self.url), redaction: .none)
    var request = URLRequest(url: try #require(URL(string: Self.url)))
    request.httpMethod = "PUT"
    request.httpBody = Data("abc".utf8)
    _ = try await recorder.events(for: request, body: nil).allValues
    let posted = try entry(recorder.har)["request"]?["postData"]
    #expect(posted?["text"] == "abc")
  }

  @Test("The time of an exchange counts from its beginning")
  func time() throws {
    let clock = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.url), delay: .seconds(2)),
      scheduler: clock)
    let recorder = HARFixtures.recorder(stubs, clock: clock)
    clock.advance(by: .seconds(5))
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: recorder).get(endpoint: "a").receive(subscriber: subscriber)
    clock.run()
    #expect(subscriber.isFinished)
    #expect(try entry(recorder.har)["time"] == 2_000)
  }

  @Test("A body in pieces is kept up to the limit, and counted beyond it", arguments: [8, 9])
  func pieces(size: Int) async throws {
    let stubs = StubTransport(.get, Self.url, result: .success(Data(count: size)))
    let recorder = HARFixtures.recorder(stubs, redaction: .none, bodyLimit: 8)
    _ = try await TestAPI(transport: recorder).events(endpoint: "a").allValues
    #expect(recorder.har.entries.map(\.responseBody) == [size == 8 ? Data(count: 8) : Data()])
    let content = try entry(recorder.har)["response"]?["content"]
    #expect(content?["comment"] == (size == 8 ? nil : "9 bytes, left out"))
    #expect(content?["size"] == (size == 8 ? 8 : 9))
  }

  @Test("A file is readable only by its owner")
  func file() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    let file = folder.appending(path: "a.har")
    let har = try HAR(HARFixtures.golden("refresh.har"))
    #expect(throws: (any Error).self) { try har.write(to: file) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("old".utf8).write(to: file)
    try har.write(to: file)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.har"])
    #expect(try HAR(contentsOf: file) == har)
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(mode as? Int == 0o600)
  }

  @Test("A write does not replace a directory at the file's place, and leaves no other file")
  func placeTaken() throws {
    let folder = try TemporaryFolder()
    let taken = folder.url.appending(path: "a.har")
    try FileManager.default.createDirectory(at: taken, withIntermediateDirectories: false)
    let har = try HAR(HARFixtures.golden("refresh.har"))
    #expect(throws: CocoaError.self) { try har.write(to: taken) }
    #expect(try folder.names == ["a.har"])
  }
}
