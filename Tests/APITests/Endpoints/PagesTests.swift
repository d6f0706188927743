import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("Pages requested one after another")
struct PagesTests {
  private struct Page: Endpoint {
    struct Response: Decodable, Sendable, Equatable {
      let names: [String]
      let next: Int?
    }

    let number: Int
    var path: ResourcePath { "pages/\(number)" }
  }

  private func stubs(_ count: Int, failing failure: Int? = nil) -> StubTransport {
    StubTransport(
      (1...count).reduce(nil as StubAPIResponse?) { script, number in
        let request = StubRequest(.get, urlString: "https://api.example.com/v1/pages/\(number)")
        let next = number < count ? "\(number + 1)" : "null"
        let body = Result<Data, any Error>.json(#"{"names": ["p\#(number)"], "next": \#(next)}"#)
        let status = number == failure ? 500 : 200
        return script?.thenRespondWith(request: request, statusCode: status, result: body)
          ?? StubAPIResponse(request: request, statusCode: status, result: body)
      } ?? StubAPIResponse(request: .init(.get, urlString: "https://api.example.com/")))
  }

  private func pages(_ transport: StubTransport) -> AnyPublisher<Page.Response, any Error> {
    TestAPI(transport: transport).pages(from: Page(number: 1)) { _, answer in
      answer.next.map { Page(number: $0) }
    }
  }

  @Test("All pages come in order, then the end")
  func all() async throws {
    let names = try await pages(stubs(3)).allValues.flatMap(\.names)
    #expect(names == ["p1", "p2", "p3"])
  }

  @Test("A page without demand is not fetched")
  func lazy() {
    let transport = stubs(5)
    let subscriber = TestSubscriber<Page.Response, any Error>(demand: .max(2))
    pages(transport).subscribe(subscriber)
    #expect(subscriber.values.count == 2)
    #expect(transport.requests.count == 2)
    subscriber.request(.max(1))
    #expect(transport.requests.count == 3)
    subscriber.cancel()
    #expect(transport.requests.count == 3)
  }

  @Test("C-3: the end comes right after the last page, without further demand", arguments: [1, 3])
  func promptEnd(count: Int) {
    let transport = stubs(count)
    let subscriber = TestSubscriber<Page.Response, any Error>(demand: .max(count))
    pages(transport).subscribe(subscriber)
    #expect(subscriber.values.count == count)
    #expect(subscriber.isFinished)
    #expect(transport.requests.count == count)
  }

  @Test("A page that fails ends the pages, after the earlier ones")
  func failure() {
    let transport = stubs(4, failing: 3)
    let subscriber = TestSubscriber<Page.Response, any Error>()
    pages(transport).subscribe(subscriber)
    #expect(subscriber.values.flatMap(\.names) == ["p1", "p2"])
    #expect((subscriber.failure as? RESTError)?.kind == .status(500))
    #expect(transport.requests.count == 3)
  }
}
