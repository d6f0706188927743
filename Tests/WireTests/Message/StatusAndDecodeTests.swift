import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

@Suite("Validation of statuses")
struct ValidateStatusTests {
  @Test("200 to 299 pass unchanged", arguments: [200, 201, 204, 299])
  func passes(status: Int) async throws {
    let response = try await Just(makeResponse("x", status: status, headers: ["A": "b"]))
      .validateStatus().value
    #expect(response.statusCode == status)
    #expect(response.data == Data("x".utf8))
    #expect(response.headers == ["A": "b"])
  }

  @Test("Any other status fails", arguments: [100, 199, 300, 304, 400, 401, 404, 500, 599])
  func fails(status: Int) async throws {
    let response = try makeResponse("words", status: status, headers: ["Retry-After": "1"])
    let error = try await restError(of: Just(response).validateStatus())
    #expect(error.kind == .status(status))
    #expect(error.isUnauthorized == (status == 401))
    #expect(error.body == Data("words".utf8))
    #expect(error.response?.statusCode == status)
    #expect(error.response?.headers["Retry-After"] == "1")
    #expect(error.request?.description == "GET https://api.example.com/v1/x")
    #expect(error.attempts == 1)
    #expect(error.underlyingError == nil)
  }

  @Test("The caller can choose the accepted statuses")
  func chosen() async throws {
    let missing = try makeResponse(status: 404)
    #expect(try await Just(missing).validateStatus(200...404).value.statusCode == 404)
    #expect(try await restError(of: Just(missing).validateStatus(200...200)).kind == .status(404))
    let fine = try makeResponse(status: 200)
    #expect(try await restError(of: Just(fine).validateStatus(404...404)).kind == .status(200))
  }

  @Test(
    "The text names the status, with its phrase if it has one",
    arguments: [(404, "404 Not Found"), (418, "418"), (511, "511 Network Authentication Required")])
  func text(status: Int, words: String) async throws {
    let error = try await restError(of: Just(makeResponse(status: status)).validateStatus())
    #expect(
      error.description == """
        GET https://api.example.com/v1/x: the server answered \(words). \
        The server's own words are in the error's `problem` or `body`.
        """)
  }

  @Test("Every status of the registry has its phrase, and no other status has one")
  func phrases() {
    let named = (0...1_000).filter { HTTPStatus.phrase(for: $0) != nil }
    #expect(
      named == [
        100, 101, 103, 200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 304, 307, 308, 400,
        401, 402, 403, 404, 405, 406, 407, 408, 409, 410, 411, 412, 413, 414, 415, 416, 417, 421,
        422, 425, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505, 511,
      ])
    #expect(Set(named.compactMap(HTTPStatus.phrase)).count == named.count)
  }

  @Test("An error keeps at most 64 KiB of a body")
  func longBody() async throws {
    let body = Data((0..<100_000).map { UInt8(truncatingIfNeeded: $0) })
    let error = try await restError(of: Just(makeResponse(body, status: 500)).validateStatus())
    #expect(error.body == body.prefix(65_536))
    #expect(error.body?.startIndex == 0)
  }
}

@Suite("Decoding of a body")
struct DecodeResponseTests {
  struct Item: Decodable, Sendable, Equatable {
    struct Part: Decodable, Sendable, Equatable {
      var size: Int
      var due: Date?
    }
    var name: String
    var parts: [Part] = []
  }

  private func decodingError(_ body: String, decoder: JSONDecoder = JSONDecoder()) async throws
    -> RESTError
  {
    try await restError(of: Just(makeResponse(body)).decode(type: Item.self, decoder: decoder))
  }

  @Test("A body of the right shape becomes a value")
  func decodes() async throws {
    let item = try await Just(makeResponse(#"{"name": "a", "parts": [{"size": 1}]}"#))
      .decode(type: Item.self).value
    #expect(item == Item(name: "a", parts: [Item.Part(size: 1)]))
  }

  @Test("An empty body is nil for an optional type, and a failure for another one")
  func emptyBody() async throws {
    for status in [200, 204] {
      let response = try makeResponse("", status: status)
      #expect(try await Just(response).decode(type: Item?.self).value == nil)
      #expect(
        try await restError(of: Just(response).decode(type: Item.self)).kind == .malformedResponse)
    }
    #expect(try await Just(makeResponse("null")).decode(type: Item?.self).value == nil)
    #expect(
      try await Just(makeResponse(#"{"name": "a", "parts": []}"#)).decode(type: Item?.self).value
        == Item(name: "a"))
    let refused = try makeResponse("", status: 404)
    #expect(try await restError(of: Just(refused).decode(type: Item?.self)).kind == .status(404))
  }

  @Test("The caller's decoder is used")
  func usesDecoder() async throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .apiTimestamp
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let body = #"{"name": "a", "parts": [{"size": 1, "due": "2001-01-01T00:00:01"}]}"#
    let item = try await Just(makeResponse(body)).decode(type: Item.self, decoder: decoder).value
    #expect(item.parts.first?.due == Date(timeIntervalSinceReferenceDate: 1))
  }

  @Test(
    "A refused status is an error, before anything is decoded",
    arguments: [199, 300, 304, 401, 500])
  func status(status: Int) async throws {
    let response = try makeResponse(#"{"name": "a", "parts": []}"#, status: status)
    let error = try await restError(of: Just(response).decode(type: Item.self))
    #expect(error.kind == .status(status))
  }

  @Test(
    "A list that is a member of an object is told with the operator that takes it out",
    arguments: [
      (
        #"{"users": [1]}"#,
        #"If the list is in a member, here NAME, add unwrapResultJSON(key: "NAME", includingArrays: true) before decode(type:)."#
      ),
      (
        #"{"result": [1]}"#,
        #"If the list is under "result", add unwrapResultJSON(includingArrays: true) before decode(type:)."#
      ),
    ])
  func listInObject(body: String, remedy: String) async throws {
    let error = try await restError(of: Just(makeResponse(body)).decode(type: [Int].self))
    #expect(error.remedy == remedy)
    #expect(!"\(error)".contains("users"))
    let list = try await Just(makeResponse(body))
      .unwrapResultJSON(
        key: body.contains("users") ? "users" : "result", includingArrays: true
      )
      .decode(type: [Int].self).value
    #expect(list == [1])
  }

  @Test(
    "The text names the place, by members and indices, and the remedy",
    arguments: [
      (
        #"{"parts": []}"#, #""name" is missing"#,
        "Make the property optional if the server may leave it out."
      ),
      (
        #"{"name": "a", "parts": [{"size": 1}, {}]}"#, #""parts[1].size" is missing"#,
        "Make the property optional if the server may leave it out."
      ),
      (
        #"{"name": null, "parts": []}"#, #""name" is null and must be of type String"#,
        "Make the property optional if the server may send null."
      ),
      (
        #"{"name": 1, "parts": []}"#, #""name" is a number and must be of type String"#,
        "Change the property's type, or correct the server's response."
      ),
      (
        #"{"name": "a", "parts": [{"size": "canary"}]}"#,
        #""parts[0].size" is a string and must be of type Int"#,
        "Change the property's type, or correct the server's response."
      ),
    ])
  func place(body: String, reason: String, remedy: String) async throws {
    let error = try await decodingError(body)
    #expect(error.kind == .decoding)
    #expect(
      error.reason.hasPrefix("the response does not decode as DecodeResponseTests.Item: \(reason)")
    )
    #expect(error.remedy == remedy)
    #expect(error.description == "GET https://api.example.com/v1/x: \(error.reason). \(remedy)")
    #expect(error.underlyingError is DecodingError)
    #expect(error.body == Data(body.utf8))
    #expect(!error.description.contains("canary"))
  }

  @Test(
    "A number that does not fit is a decoding error, because the body is JSON",
    arguments: ["1.5", "1e99", "12345678901234567890123"])
  func numberDoesNotFit(number: String) async throws {
    let error = try await decodingError(#"{"name": "a", "parts": [{"size": \#(number)}]}"#)
    #expect(error.kind == .decoding)
    #expect(!error.description.contains("not JSON"))
  }

  @Test("A value that its type refuses is named by its place")
  func refusedValue() async throws {
    let error = try await restError(
      of: Just(makeResponse(#"{"links": [""]}"#)).decode(type: [String: [URL]].self))
    #expect(error.kind == .decoding)
    #expect(error.reason.contains(#""*[0]" is not valid for its type"#))
  }

  @Test("A text that is not a date is shown by its shape")
  func date() async throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .apiTimestamp
    let error = try await decodingError(
      #"{"name": "a", "parts": [{"size": 1, "due": "canary 12"}]}"#, decoder: decoder)
    #expect(error.kind == .decoding)
    #expect(error.reason.contains(#""parts[0].due" is no timestamp"#))
    #expect(error.reason.contains(#""AAAAAA 00""#))
    #expect(!error.description.contains("canary"))
  }

  @Test(
    "A body that is not JSON is malformed, and the error names the place and a remedy that helps",
    arguments: [
      (
        "Invalid", "byte 0 (line 1, column 1): expected a value, found a letter",
        "the URL is the API's"
      ),
      ("<html>", "byte 0 (line 1, column 1)", "not a web page's or a proxy's"),
      ("{", "byte 1 (line 1, column 2)", "ends too early"),
      ("{\"name\":\n  \"a", "byte 13 (line 2, column 5)", "ends too early"),
      (#"{"name": "a", "parts": [1, 2,, 3]}"#, "byte 29 (line 1, column 30)", "at that place"),
    ])
  func malformed(body: String, place: String, remedy: String) async throws {
    let error = try await decodingError(body)
    #expect(error.kind == .malformedResponse)
    #expect(
      error.reason.hasPrefix(
        "the response does not decode as DecodeResponseTests.Item: the body is not JSON at \(place)"
      ))
    #expect(error.remedy.contains(remedy))
  }

  @Test("A type of the package does not ask its user to change its properties")
  func libraryType() async throws {
    let error = try await restError(
      of: Just(makeResponse(#"{"token": "canary"}"#)).decode(type: TokenResponse.self))
    #expect(error.kind == .decoding)
    #expect(
      error.reason == "the response does not decode as TokenResponse: \"access_token\" is missing")
    #expect(error.remedy.contains("ClosureGrant"))
    #expect(!error.remedy.contains("optional"))
  }

  @Test("A response without a body is named in the error, with the remedy")
  func noBody() async throws {
    let response = try makeResponse(status: 204)
    let error = try await restError(of: Just(response).decode(type: Int.self))
    #expect(error.kind == .malformedResponse)
    #expect(error.reason == "the response does not decode as Int: the 204 has no body")
    #expect(error.remedy.contains("Void"))
  }

  @Test("An error that a type's own decoding throws is named as such")
  func foreign() async throws {
    struct Own: Decodable, Sendable {
      init(from decoder: any Decoder) throws { throw TestFailure() }
    }
    let error = try await restError(of: Just(makeResponse("{}")).decode(type: Own.self))
    #expect(error.kind == .decoding)
    #expect(
      error.reason == "the response does not decode as DecodeResponseTests.Own: its decoder failed")
    #expect(error.underlyingError as? TestFailure == TestFailure())
  }

  @Test("A member's name cannot forge a line of a log or fill it")
  func hostileNames() async throws {
    let forged = try await restError(
      of: Just(makeResponse(#"{"a\nGET /admin → 200\u001b[2J": "x"}"#))
        .decode(type: [String: Int].self))
    #expect(forged.kind == .decoding)
    #expect(!forged.description.contains("\n"))
    #expect(!forged.description.contains("\u{1B}"))
    let long = String(repeating: "x", count: 100_000)
    let filled = try await restError(
      of: Just(makeResponse("{\"\(long)\": \"x\"}")).decode(type: [String: Int].self))
    #expect(filled.description.count < 1_000)
  }
}
