import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("The payload of an envelope")
struct UnwrapResultJSONTests {
  private func unwrap(_ body: String, key: String? = nil) async throws -> String {
    let response = try Just(makeResponse(body))
    let unwrapped =
      if let key {
        try await response.unwrapResultJSON(key: key).value
      } else {
        try await response.unwrapResultJSON().value
      }
    return String(decoding: unwrapped.data, as: UTF8.self)
  }

  @Test("The object under result becomes the body, byte for byte")
  func unwraps() async throws {
    let payload = #"{ "b":1.50, "a" : "\u00e9", "n":12345678901234567890 }"#
    #expect(try await unwrap(#"{"status":"ok","result":\#(payload),"x":[]}"#) == payload)
  }

  @Test("The key can be chosen")
  func otherKey() async throws {
    #expect(
      try await unwrap(#"{"data": {"a": 1}, "result": {"b": 2}}"#, key: "data") == #"{"a": 1}"#)
    #expect(try await unwrap(#"{"": {"a": 1}}"#, key: "") == #"{"a": 1}"#)
  }

  @Test("Only a member of the outermost object counts, and it is unwrapped once")
  func nested() async throws {
    let body = #"{"data": {"result": {"a": 1}}}"#
    #expect(try await unwrap(body) == body)
    #expect(try await unwrap(#"{"result": {"result": {"a": 1}}}"#) == #"{"result": {"a": 1}}"#)
  }

  @Test(
    "A body that is not such an envelope passes unchanged",
    arguments: [
      "{}", "[]", " {\"a\": 1} ", #"{"result": null}"#, #"{"result": [1]}"#, #"{"result": "x"}"#,
      #"{"result": 1}"#, #"{"result": true}"#, #""text""#, "null", "1", #"[{"result": {}}]"#,
      #"{"Result": {"a": 1}}"#,
    ])
  func unchanged(body: String) async throws {
    #expect(try await unwrap(body) == body)
  }

  @Test(
    "With includingArrays, an array under the key becomes the body, and so does an object",
    arguments: [
      (#"{"result": [1, {"result": []}] }"#, #"[1, {"result": []}]"#), (#"{"result":[]}"#, "[]"),
      (#"{"a": [1], "result": {"b": [2]}}"#, #"{"b": [2]}"#),
      (#"{"result": "x"}"#, #"{"result": "x"}"#), (#"[{"result": [1]}]"#, #"[{"result": [1]}]"#),
      (#"{"a": {"result": [1]}}"#, #"{"a": {"result": [1]}}"#),
    ])
  func arrays(body: String, payload: String) async throws {
    let response = try Just(makeResponse(body))
    let unwrapped = try await response.unwrapResultJSON(includingArrays: true).value
    #expect(String(decoding: unwrapped.data, as: UTF8.self) == payload)
  }

  @Test("Everything except the body stays unchanged", arguments: [200, 201, 299])
  func keepsTheRest(status: Int) async throws {
    let response = try makeResponse(
      #"{"result": {"a": 1}}"#, status: status, headers: ["A": "1", "A": "2"])
    let unwrapped = try await Just(response).unwrapResultJSON().value
    #expect(unwrapped.statusCode == status)
    #expect(unwrapped.headers == response.headers)
    #expect(unwrapped.request == response.request)
    #expect(unwrapped.url == response.url)
    #expect(unwrapped.data.startIndex == 0)
  }

  @Test(
    "A response with a status outside 200...299 passes unchanged, JSON or not",
    arguments: [199, 304, 401, 404, 500],
    [#"{"result": {"a": 1}}"#, "Invalid", ""])
  func otherStatus(status: Int, body: String) async throws {
    let response = try await Just(makeResponse(body, status: status)).unwrapResultJSON().value
    #expect(response.statusCode == status)
    #expect(response.data == Data(body.utf8))
  }

  @Test("A body that is not JSON fails with the place, and shows no byte of the body")
  func notJSON() async throws {
    let response = try makeResponse("{\n  \"canary\": canary\n}")
    let error = try await restError(of: Just(response).unwrapResultJSON())
    #expect(error.kind == .malformedResponse)
    #expect(
      error.description == """
        GET https://api.example.com/v1/x: the response is not JSON at byte 14 (line 2, column 13): \
        expected a value, found a letter. \
        Correct the server's response at that place.
        """)
    #expect(error.body == response.data)
    #expect(error.underlyingError != nil)
  }

  @Test("A body that ends early fails, even after the payload")
  func cut() async throws {
    let error = try await restError(
      of: Just(makeResponse(#"{"result": {"a": 1}, "#)).unwrapResultJSON())
    #expect(error.kind == .malformedResponse)
  }

  @Test("A decoding error after unwrapping names places in the payload")
  func pipeline() async throws {
    struct Name: Decodable, Sendable { var name: String }
    let stubs = StubTransport(
      .get, "https://api.example.com/v1/me", result: .json(#"{"result": {"name": 1}}"#))
    let error = try await restError(
      of: TestAPI(transport: stubs).get(endpoint: "me").unwrapResultJSON().decode(type: Name.self))
    #expect(error.reason.hasSuffix(#""name" is a number and must be of type String"#))
  }
}
