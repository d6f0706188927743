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

@Suite("A response, whole, in pieces and as HTTPURLResponse")
struct RESTResponseTests {
  @Test("HTTPURLResponse has the URL, the status and the header fields")
  func foundation() throws {
    let response = try makeResponse(
      "x", status: 404, headers: ["Content-Type": "text/plain", "X-A": "1"]
    ).response
    #expect(response.url?.absoluteString == "https://api.example.com/v1/x")
    #expect(response.statusCode == 404)
    #expect(response.value(forHTTPHeaderField: "content-type") == "text/plain")
    #expect(response.allHeaderFields.count == 2)
  }

  @Test("The JSON of a body can be read whatever the status; another body has none")
  func json() throws {
    for status in [200, 404, 429] {
      let response = try makeResponse(#"{"wait": 5}"#, status: status)
      #expect(response.json?["wait"]?.integer == 5)
    }
    #expect(try makeResponse("{").json == nil)
    #expect(try makeResponse().json == nil)
  }

  @Test("HTTPURLResponse has lines of one name joined with commas, in any case of the name")
  func duplicates() throws {
    let response = try makeResponse(
      headers: ["X-A": "1", "x-a": "2", "X-B": "b", "X-A": "3"]
    ).response
    #expect(response.value(forHTTPHeaderField: "X-A") == "1, 2, 3")
    #expect(response.value(forHTTPHeaderField: "X-B") == "b")
  }

  @Test("HTTPURLResponse keeps every cookie")
  func cookies() throws {
    let response = try makeResponse(headers: ["Set-Cookie": "a=1", "Set-Cookie": "b=2"])
    #expect(response.headers.values(for: "Set-Cookie") == ["a=1", "b=2"])
    #expect(response.response.value(forHTTPHeaderField: "Set-Cookie") == "a=1, b=2")
  }

  @Test(
    "HTTPURLResponse takes every status that a server can send", arguments: [100, 299, 599, 999])
  func statuses(status: Int) throws {
    #expect(try makeResponse(status: status).response.statusCode == status)
  }

  @Test(
    "Success is a status from 200 to 299",
    arguments: [(199, false), (200, true), (299, true), (300, false)])
  func success(status: Int, isSuccess: Bool) throws {
    #expect(try makeResponse(status: status).isSuccess == isSuccess)
  }

  @Test("A head has default values")
  func head() throws {
    let head = ResponseHead(url: try #require(URL(string: "http://h/")), statusCode: 200)
    #expect(head.httpVersion == "HTTP/1.1")
    #expect(head.headers.isEmpty)
  }

  @Test("No text of a response shows its query, its secret fields or its body")
  func canary() throws {
    let response = try makeResponse(
      "canary", headers: ["Set-Cookie": "canary"], url: "https://h.example/x?sig=canary")
    for text in allTexts(of: response) + allTexts(of: response.head) {
      #expect(!text.contains("canary"), "\(text)")
      // How a dump or a description shows the bytes of "canary".
      #expect(!text.contains("99, 97, 110") && !text.contains("- 99"), "\(text)")
    }
  }
}

@Suite("A response in pieces from a transport that has only whole responses")
struct TransportEventsTests {
  private func events(
    _ body: String, demand: Subscribers.Demand
  ) throws -> TestSubscriber<TransferEvent, any Error> {
    let stubs = StubTransport(.get, "http://h/", statusCode: 201, result: .json(body))
    let subscriber = TestSubscriber<TransferEvent, any Error>(demand: demand)
    stubs.events(for: URLRequest(url: try #require(URL(string: "http://h/"))))
      .receive(subscriber: subscriber)
    return subscriber
  }

  private func texts(_ subscriber: TestSubscriber<TransferEvent, any Error>) -> [String] {
    subscriber.values.map { event in
      switch event {
      case .sent(let progress): "sent \(progress)"
      case .head(let head): "head \(head.statusCode)"
      case .chunk(let data): String(decoding: data, as: UTF8.self)
      }
    }
  }

  @Test("The head comes first, then the body, then the end")
  func order() throws {
    let subscriber = try events("body", demand: .unlimited)
    #expect(texts(subscriber) == ["head 201", "body"])
    #expect(subscriber.isFinished)
  }

  @Test("An empty body sends no chunk")
  func emptyBody() throws {
    let subscriber = try events("", demand: .unlimited)
    #expect(texts(subscriber) == ["head 201"])
    #expect(subscriber.isFinished)
  }

  @Test("No piece is delivered without demand")
  func demand() throws {
    let subscriber = try events("body", demand: .none)
    #expect(texts(subscriber).isEmpty)
    subscriber.request(.max(1))
    #expect(texts(subscriber) == ["head 201"])
    #expect(subscriber.completions.isEmpty)
    subscriber.request(.max(1))
    #expect(texts(subscriber) == ["head 201", "body"])
    #expect(subscriber.isFinished)
  }

  @Test("After a cancel no piece is delivered")
  func cancel() throws {
    let subscriber = try events("body", demand: .max(1))
    subscriber.cancel()
    subscriber.request(.max(1))
    #expect(texts(subscriber) == ["head 201"])
    #expect(subscriber.completions.isEmpty)
  }

  @Test("A failure passes unchanged")
  func failure() throws {
    let stubs = StubTransport(.get, "http://h/", result: .failure(TestFailure()))
    let subscriber = TestSubscriber<TransferEvent, any Error>()
    stubs.events(for: URLRequest(url: try #require(URL(string: "http://h/"))))
      .receive(subscriber: subscriber)
    #expect(subscriber.failure as? TestFailure == TestFailure())
    #expect(subscriber.values.isEmpty)
  }
}
