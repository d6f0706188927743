import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Calls as people type them")
struct CallSpellingTests {
  private let requests = ValueLog<URLRequest>()

  /// An API whose every request is answered, and kept.
  private func api() -> TestAPI {
    TestAPI(
      transport: ClosureTransport { [requests] request in
        requests.add(request)
        return .status(200, to: request)
      })
  }

  private func sent() throws -> URLRequest { try #require(requests.all.last) }

  @Test("A POST, PUT or PATCH without a body sends none", arguments: ["POST", "PUT", "PATCH"])
  func noBody(method: String) async throws {
    let api = api()
    switch method {
    case "POST": _ = try await api.post(endpoint: "x").value
    case "PUT": _ = try await api.put(endpoint: "x").value
    default: _ = try await api.patch(endpoint: "x").value
    }
    let request = try sent()
    #expect(request.httpMethod == method)
    #expect(request.httpBody == nil)
    #expect(request.value(forHTTPHeaderField: "Content-Type") == nil)
  }

  @Test("A query is a literal that keeps order and repeated names")
  func query() async throws {
    let text = "a&b"
    _ = try await api().get(endpoint: "x", query: ["q": text, "page": "2", "q": "c"]).value
    #expect(try sent().url?.absoluteString == "https://api.example.com/v1/x?q=a%26b&page=2&q=c")
  }

  @Test("Each verb sends the header fields of its call")
  func headers() async throws {
    let fields: HTTPHeaders = ["X-Trace": "7", "Accept": "text/csv"]
    let api = api()
    let calls: [AnyPublisher<RESTResponse, any Error>] = [
      api.get(endpoint: "x", headers: fields), api.head(endpoint: "x", headers: fields),
      api.delete(endpoint: "x", headers: fields), api.post(endpoint: "x", headers: fields),
      api.put(endpoint: "x", headers: fields), api.patch(endpoint: "x", headers: fields),
      api.request(.options, endpoint: "x", headers: fields),
      api.pages(endpoint: "x", headers: fields),
    ]
    for call in calls {
      _ = try await call.value
      let request = try sent()
      #expect(request.value(forHTTPHeaderField: "X-Trace") == "7")
      #expect(request.value(forHTTPHeaderField: "Accept") == "text/csv")
    }
    #expect(requests.all.count == calls.count)
  }

  @Test("A header field of a call replaces the one of its body, however it is spelled")
  func contentType() async throws {
    _ = try await api().patch(
      endpoint: "x", headers: ["content-type": "application/merge-patch+json"],
      body: .json(["a": 1])
    ).value
    let fields = try #require(try sent().allHTTPHeaderFields)
    let types = fields.filter { $0.key.lowercased() == "content-type" }
    #expect(Array(types.values) == ["application/merge-patch+json"])
  }

  @Test("A repeated header field keeps each of its values")
  func repeated() async throws {
    _ = try await api().get(endpoint: "x", headers: ["X-A": "1", "x-a": "2"]).value
    #expect(try sent().value(forHTTPHeaderField: "X-A") == "1,2")
  }

  @Test("Cookies in several header fields stay several cookies")
  func cookies() async throws {
    _ = try await api().get(endpoint: "x", headers: ["Cookie": "a=1", "cookie": "b=2"]).value
    #expect(try sent().value(forHTTPHeaderField: "Cookie") == "a=1; b=2")
  }

  @Test("The request modifier runs after the header fields are set")
  func modifier() async throws {
    _ = try await api().get(endpoint: "x", headers: ["X-A": "1"]) {
      $0.settingHeader("X-A", to: ($0.value(forHTTPHeaderField: "X-A") ?? "") + "+")
    }.value
    #expect(try sent().value(forHTTPHeaderField: "X-A") == "1+")
  }

  @Test(
    "A header field that would change the request is refused before it is sent",
    arguments: [["X-A": "1\r\nX-B: 2"], ["X-A": "1", "x-a": "2\r\nX-B: 2"]] as [HTTPHeaders])
  func hostile(headers: HTTPHeaders) async throws {
    let error = try await restError(of: api().get(endpoint: "x", headers: headers))
    #expect(error.kind == .invalidRequest)
    #expect(requests.all.isEmpty)
  }

  @Test(
    "A body's type with a line break is refused, and the body is not sent without a type",
    arguments: ["text/csv\n", "text/csv\r\nX-B: 2", "text/csv\0"])
  func hostileType(type: String) async throws {
    let body = RequestBody.data(Data("a,b".utf8), contentType: type)
    let error = try await restError(of: api().post(endpoint: "x", body: body))
    #expect(error.kind == .invalidRequest)
    #expect(error.reason.contains("the value of the header Content-Type has a line break"))
    #expect(requests.all.isEmpty)
  }

  @Test("Transfers and streams send the header fields of their call")
  func transfers() async throws {
    let server = try MockServer { request in
      request.path.hasSuffix("events")
        ? .text("data: 1\n\n", headers: ["Content-Type": "text/event-stream"])
        : .text(request.values(for: "X-Trace").joined())
    }
    defer { server.stop() }
    let api = TestAPI(
      baseURL: server.baseURL, transport: .shared)
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("f")
    _ = try await api.download(endpoint: "a", headers: ["X-Trace": "7"], to: file).allValues
    #expect(try Data(contentsOf: file) == Data("7".utf8))
    let uploaded = try await api.upload(
      endpoint: "b", headers: ["X-Trace": "8"], body: .data(Data("x".utf8))
    ).allValues
    guard case .response(let response)? = uploaded.last else {
      Issue.record("\(uploaded)")
      return
    }
    #expect(response.data == Data("8".utf8))
    let events = try await api.events(endpoint: "c", headers: ["X-Trace": "9"]).allValues
    #expect(events.count >= 2)
    _ = try await api.serverSentEvents(
      endpoint: "events", headers: ["X-Trace": "10", "Accept": "text/event-stream;v=2"]
    ).firstValue
    #expect(server.requests.last?.value(for: "Accept") == "text/event-stream;v=2")
    #expect(
      server.requests.map { $0.values(for: "X-Trace") } == [["7"], ["8"], ["9"], ["10"]])
  }

  /// Its query is an array, as Foundation has it.
  private struct Search: Endpoint {
    typealias Response = Void
    let flags: [String]

    var path: ResourcePath { "x" }
    var query: [URLQueryItem] { flags.map { URLQueryItem(name: $0, value: nil) } }
  }

  @Test("An endpoint may declare its query as an array of Foundation's items")
  func endpointWithArray() async throws {
    try await api().publisher(for: Search(flags: ["draft", "mine"])).value
    #expect(try sent().url?.absoluteString == "https://api.example.com/v1/x?draft&mine")
  }
}
