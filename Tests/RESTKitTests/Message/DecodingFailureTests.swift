import Foundation
import Testing

@testable import RESTKit

@Suite("The text of a decoding failure")
struct DecodingFailureTests {
  @Test("A type has the name that a developer writes")
  func names() {
    #expect(DecodingFailure.name(of: Int.self) == "Int")
    #expect(DecodingFailure.name(of: [Int].self) == "[Int]")
    #expect(DecodingFailure.name(of: Int?.self) == "Int?")
    #expect(DecodingFailure.name(of: [[Int?]]?.self) == "[[Int?]]?")
    #expect(DecodingFailure.name(of: [String: [Int]].self) == "Dictionary<String, Array<Int>>")
  }

  @Test(
    "A mismatch names the found and the expected type",
    arguments: [
      (#"{"x": "canary"}"#, "is a string and must be of type Int"),
      (#"{"x": true}"#, "is a Boolean and must be of type Int"),
      (#"{"x": ["canary"]}"#, "is an array and must be of type Int"),
      (#"{"x": {"canary": 1}}"#, "is an object and must be of type Int"),
    ])
  func mismatches(body: String, reason: String) throws {
    #expect(try failure(of: [String: Int].self, in: body).reason == "\"x\" \(reason)")
  }

  @Test("An object instead of an array, and the reverse, are named")
  func containers() throws {
    let object = try failure(of: [String: [Int]].self, in: #"{"x": {}}"#)
    #expect(object.reason == "\"x\" is an object and must be an array")
    let array = try failure(of: [String: [String: Int]].self, in: #"{"x": []}"#)
    #expect(array.reason == "\"x\" is an array and must be an object")
  }

  @Test(
    "A decoder's own text is left out, because it may hold a value",
    arguments: ["", "canary", "I expected 1 but found canary instead.", " but found  instead."])
  func unknownWords(text: String) {
    let error = DecodingError.typeMismatch(
      Int.self, DecodingError.Context(codingPath: [], debugDescription: text))
    let failure = DecodingFailure(error, of: Int.self, in: Data("true".utf8))
    #expect(failure.reason == "the top-level value is not of type Int")
  }

  private func failure<Item: Decodable>(
    of type: Item.Type, in body: String
  ) throws -> DecodingFailure {
    let data = Data(body.utf8)
    let error = try #require(throws: DecodingError.self) {
      try JSONDecoder().decode(type, from: data)
    }
    return DecodingFailure(error, of: type, in: data)
  }
}
