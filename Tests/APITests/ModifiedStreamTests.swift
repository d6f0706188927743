import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("A stream whose request is modified in a task", .leakFree)
struct ModifiedStreamTests {
  @Test("All lines before a break come before the failure, however few a reader asks for")
  func breaks() async {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: LiveFeed.url), pieces: ["a\n", "b\n", "c\n"],
        end: .cut
      ).always())
    for count in [1, 2, 256] {
      var lines: [String] = []
      await #expect(throws: RESTError.self) {
        let log = TestAPI(transport: stubs).events(endpoint: "feed").modifyRequest { $0 }.lines()
        for try await line in log.values(buffering: .prefetch(count)) { lines.append(line) }
      }
      #expect(lines == ["a", "b", "c"])
    }
  }

  @Test("The stub of an upload in pieces sends all of them before its break, too")
  func upload() {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, urlString: LiveFeed.url), pieces: ["a\n", "b\n"], end: .cut))
    let subscriber = TestSubscriber<String, any Error>(demand: .max(1))
    TestAPI(transport: stubs).events(.post, endpoint: "feed", body: .json([1])).lines()
      .receive(subscriber: subscriber)
    #expect(subscriber.values == ["a"])
    #expect(subscriber.failure == nil)
    subscriber.request(.max(1))
    #expect(subscriber.values == ["a", "b"])
    #expect(subscriber.failure != nil)
  }
}
