import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The requests and responses of a verb")
struct VerbTests {
  private static let url = "https://api.example.com/v1/users/7"

  @Test("Each verb sends its method, path, query and headers", arguments: VerbKind.allCases)
  func sends(verb: VerbKind) async throws {
    let stubs = StubTransport(verb.method, Self.url, statusCode: 201)
    _ = try await verb.send(
      TestAPI(transport: stubs), endpoint: "users/7", query: ["page": "2", "q": "a&b+c"]
    ) {
      $0.adding("X-Trace", "abc").acceptingJSON()
    }.value
    let request = try #require(stubs.requests.first)
    #expect(request.httpMethod == verb.method.rawValue)
    #expect(request.url?.absoluteString == Self.url + "?page=2&q=a%26b%2Bc")
    #expect(request.value(forHTTPHeaderField: "X-Trace") == "abc")
    #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
    #expect(request.httpBody == nil)
    try stubs.verify()
  }

  @Test("POST, PUT and PATCH send their body", arguments: VerbKind.allCases.filter(\.takesBody))
  func sendsBody(verb: VerbKind) async throws {
    let stubs = StubTransport(verb.method, Self.url)
    let body = Data(#"{"name":"Ada"}"#.utf8)
    _ = try await verb.send(TestAPI(transport: stubs), endpoint: "users/7", body: body) {
      $0.sendingJSON()
    }.value
    let request = try #require(stubs.requests.first)
    #expect(request.httpBody == body)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
  }

  @Test("Query and modifier are optional")
  func defaults() async throws {
    let api = TestAPI(
      transport: StubTransport(
        StubAPIResponse(request: .init(.get, urlString: Self.url))
          .thenRespondWith(request: .init(.head, urlString: Self.url))
          .thenRespondWith(request: .init(.delete, urlString: Self.url))
          .thenRespondWith(request: .init(.post, urlString: Self.url))
          .thenRespondWith(request: .init(.put, urlString: Self.url))
          .thenRespondWith(request: .init(.patch, urlString: Self.url))
          .thenRespondWith(request: .init(.options, urlString: Self.url))))
    for publisher in [
      api.get(endpoint: "users/7"), api.head(endpoint: "users/7"), api.delete(endpoint: "users/7"),
      api.post(endpoint: "users/7", body: nil), api.put(endpoint: "users/7", body: nil),
      api.patch(endpoint: "users/7", body: nil), api.request(.options, endpoint: "users/7"),
    ] {
      #expect(try await publisher.value.statusCode == 200)
    }
  }

  @Test("Each verb delivers status, headers and bytes, and one value", arguments: VerbKind.allCases)
  func delivers(verb: VerbKind) throws {
    let body = Data([0, 255, 10, 13])
    let stubs = StubTransport(
      verb.method, Self.url, statusCode: 202, headers: ["X-A": "1", "X-A": "2"],
      result: .success(body))
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    verb.send(TestAPI(transport: stubs), endpoint: "users/7").receive(subscriber: subscriber)
    let response = try #require(subscriber.values.first)
    #expect(subscriber.values.count == 1)
    #expect(subscriber.isFinished)
    #expect(response.statusCode == 202)
    #expect(response.isSuccess)
    #expect(response.data == (verb == .head ? Data() : body))
    #expect(response.headers.values(for: "x-a") == ["1", "2"])
    #expect(response.url.absoluteString == Self.url)
    #expect(response.request.description == "\(verb.method) \(Self.url)")
  }

  @Test(
    "Any status is a value",
    arguments: [200, 204, 299, 304, 400, 401, 404, 418, 500, 503, 599])
  func anyStatus(status: Int) async throws {
    let stubs = StubTransport(.get, Self.url, statusCode: status, result: .json("{}"))
    let response = try await TestAPI(transport: stubs).get(endpoint: "users/7").value
    #expect(response.statusCode == status)
    #expect(response.isSuccess == (200...299 ~= status))
    #expect(response.data == ([204, 304].contains(status) ? Data() : Data("{}".utf8)))
  }

  @Test(
    "A verb is cold: nothing is made or sent before a subscription", arguments: VerbKind.allCases)
  func cold(verb: VerbKind) async throws {
    let stubs = StubTransport(verb.method, Self.url)
    let runs = Counter()
    let publisher = verb.send(TestAPI(transport: stubs), endpoint: "users/7") { request in
      runs.add()
      return request
    }
    #expect(runs.value == 0)
    #expect(stubs.requests.isEmpty)
    _ = try await publisher.value
    #expect(runs.value == 1)
    #expect(stubs.requests.count == 1)
  }

  @Test("The modifier runs again on each subscription", arguments: VerbKind.allCases)
  func modifierRunsAgain(verb: VerbKind) async throws {
    let request = StubRequest(verb.method, urlString: Self.url)
    let stubs = StubTransport(
      StubAPIResponse(request: request).thenRespondWith(request: request)
        .thenRespondWith(request: request))
    let runs = Counter()
    let publisher = verb.send(TestAPI(transport: stubs), endpoint: "users/7") { request in
      runs.add()
      return request.adding("X-Run", "\(runs.value)")
    }
    for _ in 1...3 { _ = try await publisher.value }
    let values = stubs.requests.map { $0.value(forHTTPHeaderField: "X-Run") }
    #expect(values == ["1", "2", "3"])
  }

  @Test("A retry runs the modifier again, so it reads a current token")
  func retryReadsToken() async throws {
    let request = StubRequest(.get, urlString: Self.url)
    let stubs = StubTransport(
      StubAPIResponse(request: request, result: .failure(TestFailure()))
        .thenRespondWith(request: request))
    let tokens = Mutex(["second", "first"])
    let response = try await TestAPI(transport: stubs).get(endpoint: "users/7") {
      $0.addingBearerAuthorization(token: tokens.withLock { $0.popLast() } ?? "none")
    }.retry(1).value
    #expect(response.statusCode == 200)
    let values = stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") }
    #expect(values == ["Bearer first", "Bearer second"])
  }

  @Test("Any other method can be sent, with a query and a body")
  func anyMethod() async throws {
    let stubs = StubTransport(HTTPMethod("QUERY"), Self.url)
    _ = try await TestAPI(transport: stubs)
      .request(
        HTTPMethod("QUERY"), endpoint: "/users/7", query: [URLQueryItem(name: "a", value: nil)],
        body: .data(Data("x".utf8))
      ).value
    let request = try #require(stubs.requests.first)
    #expect(request.httpMethod == "QUERY")
    #expect(request.url?.query == "a")
    #expect(request.httpBody == Data("x".utf8))
    #expect(HTTPMethod(rawValue: "OPTIONS") == .options)
  }

  @Test("A transport's own error passes unchanged")
  func foreignFailure() async throws {
    let stubs = StubTransport(.get, Self.url, result: .failure(TestFailure(name: "cut")))
    let failure = await #expect(throws: TestFailure.self) {
      try await TestAPI(transport: stubs).get(endpoint: "users/7").value
    }
    #expect(failure?.name == "cut")
  }
}
