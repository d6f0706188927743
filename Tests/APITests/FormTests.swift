import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Sending a form")
struct FormTests {
  /// Names and values that a careless encoder breaks.
  private let hostile = [
    "", " ", "a b", "a+b", "a&b=c", "100%", "%41", "=", "&", ";", "é", "e\u{301}", "😀", "\r\n",
    "\u{0}",
    "~-._*", "[]", "\"'<>", "a/b?c#d", "\u{202E}",
  ]

  private func body(of form: [URLQueryItem]) async throws -> String {
    let sent = Lock("")
    let stub = StubAPIResponse(request: .init(.post, urlString: "https://api.example.com/v1/f"))
      .thenVerifyRequest { request in
        #expect(
          request.value(forHTTPHeaderField: "Content-Type") == "application/x-www-form-urlencoded")
        sent.withLock { $0 = String(decoding: request.httpBody ?? Data(), as: UTF8.self) }
      }
    _ = try await TestAPI(transport: StubTransport(stub)).post(
      endpoint: "f", body: .form(QueryItems(form))
    )
    .value
    return sent.withLock { $0 }
  }

  @Test("A form sends the fields in their order, and escapes all but the unreserved characters")
  func text() async throws {
    let form = [
      URLQueryItem(name: "grant_type", value: "a b+c"), URLQueryItem(name: "b", value: nil),
      URLQueryItem(name: "a", value: "é"), URLQueryItem(name: "a", value: "~*"),
    ]
    #expect(try await body(of: form) == "grant_type=a%20b%2Bc&b=&a=%C3%A9&a=~%2A")
    #expect(try await body(of: []) == "")
  }

  @Test("A second parser reads the same pairs from a form")
  func roundTrip() async throws {
    let form = hostile.flatMap { name in
      [URLQueryItem(name: name, value: name), URLQueryItem(name: "n", value: name)]
    }
    let text = try await body(of: form)
    #expect(try parsed(text) == form)
    // Foundation's reader, which takes no + for a space.
    #expect(URLComponents(string: "https://h/?\(text)")?.queryItems == form)
  }

  private struct Charge: Encodable, Sendable {
    var amount = 100
    var card = ["last4": "4242", "name": "Å & B"]
    var rate = 0.5
  }

  @Test("The members of a value are sent as fields, and a value that cannot be encoded is not sent")
  func encoded() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: "https://api.example.com/v1/f")
          .header("Content-Type", "application/x-www-form-urlencoded")
          .formBody([
            "amount": "100", "card[last4]": "4242", "card[name]": "Å & B", "rate": "0.5",
          ])))
    let api = TestAPI(transport: stubs)
    #expect(
      try await api.post(endpoint: "f", body: .form(encoding: Charge())).value.statusCode == 200)
    for body in [RequestBody.form(encoding: Charge(rate: .nan)), .form(encoding: [1, 2])] {
      let error = await #expect(throws: RESTError.self) {
        try await api.post(endpoint: "f", body: body).value
      }
      #expect(error?.kind == .invalidRequest)
      #expect(error?.underlyingError is EncodingError)
    }
    #expect(stubs.requests.count == 1)
  }

  private struct Trip: Encodable, Sendable {
    let stopNames = ["a", "b"]
  }

  @Test("A form has the names of its encoder, nested as the server reads them")
  func encoderAndNaming() async throws {
    let encoder = JSONEncoder()
    encoder.keyEncodingStrategy = .convertToSnakeCase
    let stubs = StubTransport(.post, "https://api.example.com/v1/f")
    _ = try await TestAPI(transport: stubs)
      .post(endpoint: "f", body: .form(encoding: Trip(), encoder: encoder, naming: .dots)).value
    #expect(stubs.requests.first?.httpBody == Data("stop_names=a&stop_names=b".utf8))
  }

  @Test("A form is sent with PUT and PATCH as with POST")
  func otherMethods() async throws {
    for method in [HTTPMethod.put, .patch] {
      let stub = StubAPIResponse(
        request: .init(method, urlString: "https://api.example.com/v1/f?page=2")
          .header("Content-Type", "application/x-www-form-urlencoded").formBody(["a": "b c"]))
      let api = TestAPI(transport: StubTransport(stub))
      let form: QueryItems = ["a": "b c"]
      let page: QueryItems = ["page": "2"]
      let sent =
        method == .put
        ? api.put(endpoint: "f", query: page, body: .form(form))
        : api.patch(endpoint: "f", query: page, body: .form(form))
      #expect(try await sent.value.statusCode == 200)
    }
  }

  @Test("The request modifier sees the type, and may change it")
  func modifier() async throws {
    let stub = StubAPIResponse(request: .init(.post, urlString: "https://api.example.com/v1/f"))
      .thenVerifyRequest { request in
        #expect(
          request.value(forHTTPHeaderField: "Content-Type")
            == "application/x-www-form-urlencoded; charset=utf-8")
      }
    let api = TestAPI(transport: StubTransport(stub))
    _ = try await api.post(endpoint: "f", body: .form(["a": "b"])) {
      request in
      let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
      return request.adding("Content-Type", type + "; charset=utf-8")
    }.value
  }

  /// Reads a form as WHATWG URL §5.1 says.
  private func parsed(_ text: String) throws -> [URLQueryItem] {
    try text.split(separator: "&", omittingEmptySubsequences: true).map { pair in
      let halves = try pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { try #require($0.replacing("+", with: " ").removingPercentEncoding) }
      return URLQueryItem(name: halves[0], value: halves.count == 2 ? halves[1] : "")
    }
  }
}
