import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Pages that follow links", .leakFree)
struct LinkedPagesTests {
  private static let base = "https://api.example.com/v1"

  private struct Numbers: Endpoint {
    typealias Response = [Int]
    let path: ResourcePath = "numbers"
    let headers: HTTPHeaders = ["X-Team": "blue"]
  }

  /// Answers each URL with a number, and with a `Link` line if there is one.
  private func stubs(_ pages: [(url: String, link: String?)]) -> StubTransport {
    StubTransport(
      pages.enumerated().reduce(nil as StubAPIResponse?) { script, page in
        let headers: HTTPHeaders = page.element.link.map { ["Link": $0] } ?? [:]
        let request = StubRequest(.get, urlString: page.element.url)
        let body = Result<Data, any Error>.json("[\(page.offset)]")
        return script?.thenRespondWith(request: request, headers: headers, result: body)
          ?? StubAPIResponse(request: request, headers: headers, result: body)
      } ?? StubAPIResponse(request: .init(.get, urlString: Self.base)))
  }

  private func threePages() -> StubTransport {
    stubs([
      ("\(Self.base)/numbers?size=1", "<\(Self.base)/numbers?page=2>; rel=\"next\""),
      ("\(Self.base)/numbers?page=2", "<?page=3>; rel=\"last next\", <?page=1>; rel=prev"),
      ("\(Self.base)/numbers?page=3", "<?page=1>; rel=first"),
    ])
  }

  private func get(_ transport: StubTransport) -> AnyPublisher<RESTResponse, any Error> {
    TestAPI(transport: transport)
      .pages(endpoint: "numbers", query: [URLQueryItem(name: "size", value: "1")])
  }

  @Test("All linked pages come in order, then the end")
  func all() async throws {
    let numbers = try await get(threePages()).decode(type: [Int].self).allValues.flatMap { $0 }
    #expect(numbers == [0, 1, 2])
  }

  @Test("A linked page without demand is not fetched")
  func lazy() {
    let transport = threePages()
    let subscriber = TestSubscriber<RESTResponse, any Error>(demand: .max(1))
    get(transport).subscribe(subscriber)
    #expect(transport.requests.count == 1)
    subscriber.request(.max(1))
    #expect(subscriber.values.count == 2)
    #expect(transport.requests.count == 2)
    subscriber.cancel()
  }

  @Test("C-3: the end comes right after the last linked page, without further demand")
  func promptEnd() {
    let subscriber = TestSubscriber<RESTResponse, any Error>(demand: .max(3))
    get(threePages()).subscribe(subscriber)
    #expect(subscriber.values.count == 3)
    #expect(subscriber.isFinished)
    let refused = TestSubscriber<RESTResponse, any Error>(demand: .max(1))
    get(stubs([("\(Self.base)/numbers?size=1", "<https://other.example.com/>; rel=next")]))
      .subscribe(refused)
    #expect(refused.values.count == 1)
    #expect((refused.failure as? RESTError)?.kind == .pageLink)
  }

  @Test("The modifier sees the URL of each page, and only the first page has the query")
  func modifier() async throws {
    let transport = threePages()
    let seen = Lock<[String]>([])
    let pages = TestAPI(transport: transport)
      .pages(endpoint: "numbers", query: [URLQueryItem(name: "size", value: "1")]) { request in
        seen.withLock { $0.append(request.url?.query ?? "") }
        return request.adding("X-Team", "red")
      }
    _ = try await pages.allValues
    #expect(seen.withLock { $0 } == ["size=1", "page=2", "page=3"])
    let teams = transport.requests.map { $0.value(forHTTPHeaderField: "X-Team") }
    #expect(teams == ["red", "red", "red"])
  }

  @Test("An endpoint's pages are its responses, and keep its headers")
  func endpoint() async throws {
    let transport = stubs([
      ("\(Self.base)/numbers", "<?page=2>; rel=next"), ("\(Self.base)/numbers?page=2", nil),
    ])
    let numbers = try await TestAPI(transport: transport).pages(from: Numbers()).allValues
    #expect(numbers == [[0], [1]])
    #expect(transport.requests.allSatisfy { $0.value(forHTTPHeaderField: "X-Team") == "blue" })
  }

  @Test("A response without success is the last page, and an endpoint's failure")
  func failure() async throws {
    func transport() -> StubTransport {
      StubTransport(
        .get, "\(Self.base)/numbers", statusCode: 500, headers: ["Link": "<?page=2>; rel=next"])
    }
    let statuses = try await TestAPI(transport: transport()).pages(endpoint: "numbers").allValues
    #expect(statuses.map(\.statusCode) == [500])
    let error = try await restError(
      of: TestAPI(transport: transport()).pages(from: Numbers()))
    #expect(error.kind == .status(500))
  }

  @Test(
    "A link to another origin is not followed, and the page before it is delivered",
    arguments: [
      (
        "https://evil.example/v1/numbers?token=s3cret",
        "another origin, https://evil.example/v1/numbers"
      ),
      ("http://api.example.com/v1/numbers", "another origin"),
      ("https://api.example.com:444/v1/numbers", "another origin"),
      ("https://user:s3cret@api.example.com/v1/numbers", "user info"),
      ("ftp://api.example.com/numbers", "not an http(s) URL"), ("//", "not an http(s) URL"),
    ])
  func foreign(target: String, reason: String) throws {
    let transport = stubs([("\(Self.base)/numbers", "<\(target)>; rel=next")])
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: transport).pages(endpoint: "numbers").subscribe(subscriber)
    #expect(subscriber.values.count == 1)
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .pageLink)
    #expect(error.description.contains(reason))
    #expect(!error.description.contains("s3cret"))
    #expect(transport.requests.count == 1)
  }

  @Test("A link may leave the base URL's path within its origin")
  func origin() async throws {
    let transport = stubs([
      ("\(Self.base)/numbers", "</repositories/7?page=2>; rel=next"),
      ("https://api.example.com/repositories/7?page=2", nil),
    ])
    let pages = try await TestAPI(transport: transport).pages(endpoint: "numbers").allValues
    #expect(pages.count == 2)
  }

  @Test("A link back to an earlier page fails")
  func circle() throws {
    let transport = stubs([
      ("\(Self.base)/numbers", "<?page=2>; rel=next"),
      ("\(Self.base)/numbers?page=2", "<?page=3#part>; rel=next"),
      ("\(Self.base)/numbers?page=3#part", "<?page=2>; rel=next"),
    ])
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    TestAPI(transport: transport).pages(endpoint: "numbers").subscribe(subscriber)
    #expect(subscriber.values.count == 3)
    let error = try #require(subscriber.failure as? RESTError)
    #expect(error.kind == .pageLink)
    #expect(error.reason.contains("leads back to an earlier page"))
  }
}

@Suite("A trail of pages detects a cycle")
struct PageTrailTests {
  private func page(_ number: Int) throws -> URL {
    try #require(URL(string: "https://api.example.com/\(number)"))
  }

  /// How many pages are visited before one is known.
  private func visits(tail: Int, circle: Int) throws -> Int {
    var trail = PageTrail()
    var count = 0
    while count < 10_000 {
      let place = count < tail ? count : tail + (count - tail) % circle
      guard trail.visit(try page(place)) else { return count }
      count += 1
    }
    return count
  }

  @Test("A cycle of up to a hundred pages is detected at its first repeated page")
  func short() throws {
    for (tail, circle) in [(0, 1), (5, 1), (0, 2), (7, 30), (300, 100)] {
      #expect(try visits(tail: tail, circle: circle) == tail + circle)
    }
  }

  @Test("A longer cycle is detected after at most three times as many pages")
  func long() throws {
    for (tail, circle) in [(0, 101), (0, 1_000), (500, 600), (63, 129), (1_000, 101)] {
      let count = try visits(tail: tail, circle: circle)
      #expect(count > tail + circle - 1)
      #expect(count <= 3 * (tail + circle))
    }
  }

  @Test("Distinct pages never count as a cycle")
  func endless() throws {
    #expect(try visits(tail: 10_000, circle: 1) == 10_000)
  }
}
