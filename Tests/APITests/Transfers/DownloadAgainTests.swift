import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(
  "A failed or cancelled download can restart at once",
  .timeLimit(.minutes(10)))
struct DownloadAgainTests {
  private static let url = "https://api.example.com/v1/a"

  private func finished(_ events: [DownloadEvent]) -> ResponseHead? {
    guard case .finished(let head) = events.last else { return nil }
    return head
  }

  @Test(
    "A retry without a wait resumes at the place of the break", arguments: TransportKind.allCases)
  func retried(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let body = Data(repeating: 7, count: 300_000)
    let count = Atomic(0)
    let server = try MockServer { request in
      let first =
        request.value(for: "Range")
        .flatMap { Int($0.dropFirst("bytes=".count).dropLast()) } ?? 0
      let headers = [
        ("ETag", "\"v1\""), ("Content-Range", "bytes \(first)-299999/300000"),
      ].prefix(first > 0 ? 2 : 1)
      let isFirst = count.wrappingAdd(1, ordering: .relaxed).oldValue == 0
      return MockResponse(
        status: first > 0 ? 206 : 200, headers: headers.map { (name: $0.0, value: $0.1) },
        body: body.dropFirst(first), delivery: isFirst ? .cut(afterBytes: 200_000) : .whole)
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    let events = try await api.download(endpoint: "a", to: file).retry(1).allValues
    #expect(finished(events) != nil)
    #expect(try Data(contentsOf: file) == body)
    #expect(try folder.names == ["file"])
    #expect(server.requests.count == 2)
  }

  @Test("TR-09: a refused download restarts with a new token, at once")
  func authorized() async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let get = StubRequest(.get, urlString: Self.url)
    let stubs = StubTransport(
      StubAPIResponse(request: get, statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://api.example.com/v1/auth/refresh"),
          result: .json(#"{"accessToken": "fresh"}"#)
        )
        .thenRespondWith(request: get, result: .success(Data("whole".utf8))))
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://api.example.com/v1", transport: stubs))
    try session.signIn(Credential(accessToken: "old", refreshToken: "once"))
    let download = TestAPI(transport: stubs).download(endpoint: "a", to: file)
    #expect(finished(try await session.authorize(download).allValues) != nil)
    #expect(try Data(contentsOf: file) == Data("whole".utf8))
    #expect(try folder.names == ["file"])
    try stubs.verify()
  }

  @Test("A cancelled download releases its part at once", arguments: TransportKind.allCases)
  func cancelled(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let body = Data(repeating: 7, count: 1 << 20)
    let gate = MockGate()
    let server = try MockServer { request in
      // Each is held in the middle the first time, so that it cannot end before it is cancelled.
      MockResponse(
        status: 200, headers: [("ETag", "\"v1\"")], body: body,
        delivery: request.value(for: "Range") == nil
          ? .paused(afterBytes: 700_000, until: gate) : .whole)
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    for number in 1...10 {
      let file = folder.url.appendingPathComponent("file \(number)")
      for try await event in api.download(endpoint: "a", to: file).values {
        if case .progress(let progress) = event, progress.completedBytes > 0 { break }
      }
      #expect(finished(try await api.download(endpoint: "a", to: file).allValues) != nil)
      #expect(try Data(contentsOf: file) == body)
    }
  }

  @Test("A useless part is removed before the failure is reported")
  func nothingLeft() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let stubs = StubTransport(.get, Self.url, statusCode: 404)
    let names = Lock<[String]?>(nil)
    let call = TestAPI(transport: stubs).download(endpoint: "a", to: file)
      .sink(
        receiveCompletion: { _ in names.withLock { $0 = try? folder.names } },
        receiveValue: { _ in })
    withExtendedLifetime(call) {}
    #expect(names.withLock { $0 } == [])
  }

  @Test(
    "A server that mixes up ranges twice, or sends no range, is named",
    arguments: ["bytes 7-9/10", nil])
  func mixedUp(range: String?) async throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let odd = StubAPIResponse(
      request: .init(.get, urlString: Self.url), statusCode: 206,
      headers: range.map { ["Content-Range": $0] } ?? [:], result: .success(Data("abc".utf8)))
    let call = LogicalCall(clock: TestScheduler())
    let error = try await restError(
      of: TestAPI(transport: StubTransport(odd, odd)).download(endpoint: "a", to: file)
        .context(ScopedCall.Key.self, ScopedCall(of: call)))
    #expect(error.kind == .malformedResponse)
    #expect(error.description.contains("another part of the file than was requested"))
    #expect(error.attempts == 2)
    #expect(error.log?.events.last?.description == "failed because \(error.reason)")
  }
}
