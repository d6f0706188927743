import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("Any JSON value")
struct JSONValueTests {
  private let event: JSONValue = [
    "type": "m.room.message", "age": 12, "ratio": 0.5, "whole": 2.0, "seen": true,
    "unsigned": .null, "content": ["body": "hi", "tags": ["a", "b"]],
  ]

  private func decoded(_ text: String) throws -> JSONValue {
    try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
  }

  @Test("A literal is read part by part, and what is absent or of another kind is nil")
  func parts() {
    #expect(event["type"]?.string == "m.room.message")
    #expect(event["age"]?.integer == 12)
    #expect(event["age"]?.number == 12)
    #expect(event["ratio"]?.number == 0.5)
    #expect(event["ratio"]?.integer == nil)
    #expect(event["whole"] == 2)
    #expect(event["seen"]?.bool == true)
    #expect(event["unsigned"]?.isNull == true)
    #expect(event["content"]?["tags"]?[1]?.string == "b")
    #expect(event["content"]?["tags"]?.array?.count == 2)
    #expect(event["content"]?.object?.keys.sorted() == ["body", "tags"])
    #expect(event["content"]?["tags"]?[2] == nil)
    #expect(event["content"]?["tags"]?[-1] == nil)
    #expect(event["absent"] == nil)
    let others: [JSONValue] = [.null, true, 1, 0.5, "a", [], [:]]
    #expect(others.map { $0.string != nil } == [false, false, false, false, true, false, false])
    #expect(others.map { $0.bool != nil } == [false, true, false, false, false, false, false])
    #expect(others.map { $0.number != nil } == [false, false, true, true, false, false, false])
    #expect(others.map { $0.integer != nil } == [false, false, true, false, false, false, false])
    #expect(others.map { $0.array != nil } == [false, false, false, false, false, true, false])
    #expect(others.map { $0.object != nil } == [false, false, false, false, false, false, true])
    #expect(others.map(\.isNull) == [true, false, false, false, false, false, false])
    #expect(others.map { $0["a"] == nil && $0[0] == nil } == Array(repeating: true, count: 7))
  }

  @Test("A member is set, replaced and removed; a value that is no object stays as it is")
  func change() {
    var value: JSONValue = ["a": 1]
    value["b"] = "two"
    value["a"] = 3
    #expect(value == ["a": 3, "b": "two"])
    value["a"] = nil
    #expect(value == ["b": "two"])
    var text: JSONValue = "text"
    text["a"] = 1
    #expect(text == "text")
  }

  @Test(
    "JSON is read and written without a change",
    arguments: [
      "null", "true", "0", "-9223372036854775808", "9223372036854775807", "0.25", "\"\"",
      "\"\\u0000é\"", "[]", "{}", "[[],{\"a\":[null,false]}]",
    ])
  func roundTrip(text: String) throws {
    let value = try decoded(text)
    let written = try JSONEncoder().encode(value)
    #expect(try JSONDecoder().decode(JSONValue.self, from: written) == value)
    #expect(value.text(redaction: .none) == text.replacing("\\u0000é", with: "\\u0000é"))
  }

  @Test("Equal numbers are equal, however they are written; beyond 64 bits they are the nearest")
  func numbers() throws {
    #expect(try decoded("[1, 1.0, 10e-1]") == [1, 1, 1])
    #expect(try decoded("18446744073709551615") == .number(18_446_744_073_709_551_616))
    #expect(JSONValue(3) == .integer(3))
    #expect(JSONValue(3.5) == .number(3.5))
    #expect(throws: (any Error).self) { try decoded("[1") }
  }

  private struct Message: Codable, Equatable {
    let body: String
    let tags: [String]
  }

  @Test("A part becomes a type of the app, or says what does not fit")
  func decode() throws {
    let content = try #require(event["content"])
    #expect(try content.decode(Message.self) == Message(body: "hi", tags: ["a", "b"]))
    #expect(throws: DecodingError.self) { try event.decode(Message.self) }
    #expect(throws: EncodingError.self) { try JSONValue.number(.nan).decode(Double.self) }
  }

  private struct Sized: Decodable {
    let maxSize: Int
  }

  @Test("A part is decoded by the decoder that is given")
  func decoder() throws {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    let value: JSONValue = ["max_size": 3]
    #expect(try value.decode(Sized.self, decoder: decoder).maxSize == 3)
  }

  @Test("The deepest JSON that is read fits a task's stack, and so do its text and its copy")
  func depth() async throws {
    let text = String(repeating: #"[{"a":"#, count: 255) + "1" + String(repeating: "}]", count: 255)
    let value = try await Task { try decoded(text) }.value
    #expect(value.text(redaction: .none) == text)
    #expect(try await Task { try value.decode(JSONValue.self) }.value == value)
  }

  @Test("Text forms show names alone; a text without redaction shows all, sorted by name")
  func texts() {
    let value: JSONValue = ["token": "canary", "list": ["canary", 7], "path": "a/b"]
    #expect(
      "\(value)" == #"{"list":["<redacted>",0],"path":"<redacted>","token":"<redacted>"}"#)
    #expect(String(reflecting: value) == value.description)
    var dumped = ""
    dump(value, to: &dumped)
    #expect(!dumped.contains("canary"))
    #expect(
      value.text(redaction: .none) == #"{"list":["canary",7],"path":"a/b","token":"canary"}"#)
    #expect(
      value.text(redaction: .byName) == #"{"list":["canary",7],"path":"a/b","token":"<redacted>"}"#)
    #expect(
      [JSONValue.number(.infinity), .number(.nan)].map { $0.text(redaction: .none) }
        == [#""Infinity""#, #""NaN""#])
  }
}
