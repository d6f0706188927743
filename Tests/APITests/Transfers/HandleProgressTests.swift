import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The progress of a body, by one word for all transfers", .leakFree)
struct HandleProgressTests {
  private let seen = ValueLog<TransferProgress>()

  private var note: @Sendable (TransferProgress) -> Void { { [seen] in seen.add($0) } }

  private func steps(_ total: Int64?, _ completed: Int64...) -> [TransferProgress] {
    completed.map { TransferProgress(completedBytes: $0, totalBytes: total) }
  }

  private func head(_ headers: HTTPHeaders) throws -> TransferEvent {
    .head(
      ResponseHead(
        url: try #require(URL(string: "https://api.example.com/a")), statusCode: 200,
        headers: headers))
  }

  @Test("A download in memory counts its chunks, from none at the head to the whole")
  func inMemory() throws {
    let events: [TransferEvent] = [
      .sent(TransferProgress(completedBytes: 9, totalBytes: 9)),
      try head(["Content-Length": "5"]), .chunk(Data("abc".utf8)), .chunk(Data("de".utf8)),
    ]
    let passed = TestSubscriber<String, Never>()
    Publishers.Sequence(events).handleProgress(note).map { "\($0)" }.subscribe(passed)
    #expect(seen.all == steps(5, 0, 3, 5))
    #expect(passed.values == events.map { "\($0)" })
    #expect(passed.isFinished)
  }

  @Test(
    "A body without a length, or one that is encoded, has no total",
    arguments: [
      [:], ["Content-Length": "five"], ["Content-Length": "5", "Content-Encoding": "gzip"],
    ] as [HTTPHeaders])
  func noTotal(headers: HTTPHeaders) throws {
    let events = [try head(headers), .chunk(Data("abc".utf8))]
    Publishers.Sequence(events).handleProgress(note).subscribe(TestSubscriber())
    #expect(seen.all == steps(nil, 0, 3))
  }

  @Test("Another head begins again, and so does each subscription")
  func again() throws {
    let events = [
      try head(["Content-Length": "5"]), .chunk(Data("abc".utf8)),
      try head(["Content-Length": "2"]), .chunk(Data("de".utf8)),
    ]
    let publisher = Publishers.Sequence(events).handleProgress(note)
    let once = steps(5, 0, 3) + steps(2, 0, 2)
    publisher.subscribe(TestSubscriber())
    #expect(seen.all == once)
    publisher.subscribe(TestSubscriber())
    #expect(seen.all == once + once)
  }

  @Test("A download to a file tells its progress, and passes on all events")
  func toFile() async throws {
    let folder = try TemporaryFolder()
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://api.example.com/v1/photo"),
        headers: ["Content-Length": "5"], result: .success(Data("bytes".utf8))))
    let events = try await TestAPI(transport: stubs)
      .download("photo", to: folder.url.appending(path: "photo"))
      .handleProgress(note).allValues
    #expect(seen.all == steps(5, 0, 5))
    #expect(events.count == 3)
  }
}
