import Foundation
import RESTKit
import Streams
import Testing

@testable import RESTKitTesting

@Suite("The length of a body that is not sent", .timeLimit(.minutes(10)))
struct RecordedLengthTests {
  private static let length = "1234"

  private static func response(_ request: MockRequest) -> MockResponse {
    request.path == "/unchanged"
      ? MockResponse(
        status: 304, headers: [("ETag", "\"a\""), ("Content-Length", length)])
      : MockResponse(status: 200, body: Data(count: 1_234))
  }

  private func lengths(_ api: RecordingBench.API) async throws -> [String?] {
    [
      try await api.head(endpoint: "file").value.headers["Content-Length"],
      try await api.get(endpoint: "unchanged", headers: ["If-None-Match": "\"a\""]).value
        .headers["Content-Length"],
      try await api.events(.head, endpoint: "file").compactMap(\.arrivedHead).last().value
        .headers["Content-Length"],
    ]
  }

  @Test("RFC 9110 §8.6: a HEAD and a 304 are recorded and played with the length they have named")
  func recorded() async throws {
    let bench = try RecordingBench(Self.response)
    let recorder = try bench.recorder()
    let named = [Self.length, Self.length, Self.length] as [String?]
    #expect(try await lengths(bench.api(recorder)) == named)
    try recorder.verify()
    let player = try bench.player()
    #expect(try await lengths(bench.api(player)) == named)
    try player.verify()
  }

  @Test("A stub of HEAD has its own length, in memory and on a socket", arguments: [false, true])
  func stub(isOnSocket: Bool) async throws {
    let script = StubAPIResponse(
      request: StubRequest(.head), headers: ["Content-Length": Self.length])
    let stubs =
      isOnSocket ? try StubTransport(script, over: .shared) : StubTransport(script)
    let api = RecordingBench.API(baseURL: "https://api.example.com", transport: stubs)
    #expect(try await api.head(endpoint: "a").value.headers["Content-Length"] == Self.length)
  }

  @Test(
    "A stub of HEAD has the length of its result, and without one no length, in both worlds",
    arguments: [false, true])
  func result(isOnSocket: Bool) async throws {
    let script = StubAPIResponse(request: StubRequest(.head), result: .success(Data(count: 9)))
      .thenRespondWith(request: StubRequest(.head))
    let stubs = isOnSocket ? try StubTransport(script, over: .shared) : StubTransport(script)
    let api = RecordingBench.API(baseURL: "https://api.example.com", transport: stubs)
    #expect(try await api.head(endpoint: "a").value.headers["Content-Length"] == "9")
    #expect(try await api.head(endpoint: "a").value.headers["Content-Length"] == nil)
  }
}

extension TransferEvent {
  fileprivate var arrivedHead: ResponseHead? {
    if case .head(let head) = self { head } else { nil }
  }
}
