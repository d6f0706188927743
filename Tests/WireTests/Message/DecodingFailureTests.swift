import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("The text of a decoding failure")
struct DecodingFailureTests {
  @Test(
    "A mismatch names the found and the expected type",
    arguments: [
      (#"{"x": "canary"}"#, "is a string and must be of type Int"),
      (#"{"x": true}"#, "is a Boolean and must be of type Int"),
      (#"{"x": ["canary"]}"#, "is an array and must be of type Int"),
      (#"{"x": {"canary": 1}}"#, "is an object and must be of type Int"),
    ])
  func mismatches(body: String, reason: String) throws {
    #expect(try failure(of: [String: Int].self, in: body).reason == "\"*\" \(reason)")
  }

  @Test("An object instead of an array, and the reverse, are named")
  func containers() throws {
    let object = try failure(of: [String: [Int]].self, in: #"{"x": {}}"#)
    #expect(object.reason == "\"*\" is an object and must be an array")
    let array = try failure(of: [String: [String: Int]].self, in: #"{"x": []}"#)
    #expect(array.reason == "\"*\" is an array and must be an object")
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

  private struct Todo: Decodable {
    let id: Int
    let dueAt: Date
  }

  @Test(
    "A missing member has a remedy that depends on the body",
    arguments: [
      (
        #"{"id": 1, "due_at": "canary"}"#,
        "The body has \"due_at\". Set the decoder's keyDecodingStrategy to .convertFromSnakeCase, "
          + "or name the member in CodingKeys."
      ),
      (
        #"{"result": {"id": 1}}"#,
        "The body has an object under \"result\". Add unwrapResultJSON() before decode(type:)."
      ),
      (#"{"id": 1}"#, "Make the property optional if the server may leave it out."),
      (#"{"id": 1, "due at": 2}"#, "Make the property optional if the server may leave it out."),
    ])
  func missing(body: String, remedy: String) throws {
    #expect(try failure(of: Todo.self, in: body).remedy == remedy)
  }

  @Test("A date that a decoder reads as a number has a remedy of its own")
  func dateWithoutStrategy() throws {
    let failure = try failure(of: Todo.self, in: #"{"id": 1, "dueAt": "canary"}"#)
    #expect(failure.reason == "\"dueAt\" is a string and must be of type Double")
    #expect(failure.remedy.hasSuffix("For a Date, set the decoder's dateDecodingStrategy."))
  }

  @Test("A date in another format is named as one, without its text")
  func dateFormat() throws {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    let iso = try failure(of: Todo.self, in: #"{"id": 1, "dueAt": "canary"}"#, by: decoder)
    #expect(iso.reason.hasPrefix("a date in "))
    #expect(iso.reason.hasSuffix(" is not in ISO 8601"))
    #expect(iso.remedy == "Compare the decoder's dateDecodingStrategy with the response.")
    let formatter = DateFormatter()
    formatter.dateFormat = "yyyy"
    decoder.dateDecodingStrategy = .formatted(formatter)
    let list = try failure(of: [Todo].self, in: #"[{"id": 1, "dueAt": "canary"}]"#, by: decoder)
    #expect(list.reason.contains("[0]"))
    #expect(list.reason.hasSuffix(" is not in the formatter's format"))
  }

  private func failure<Item: Decodable>(
    of type: Item.Type, in body: String, by decoder: JSONDecoder = JSONDecoder()
  ) throws -> DecodingFailure {
    let data = Data(body.utf8)
    let error = try #require(throws: DecodingError.self) {
      try decoder.decode(type, from: data)
    }
    return DecodingFailure(error, of: type, in: data)
  }
}
