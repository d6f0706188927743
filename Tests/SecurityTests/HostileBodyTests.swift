import Fixtures
import Foundation
import RESTKit
import Streams
import Testing

/// A line of `SEC-10-json.jsonl`: a body, and what `unwrapResultJSON` makes of it.
struct HostileJSON: Decodable, Sendable {
  let json: String?
  /// The body as bytes, one a character.
  let bytes: String?
  /// The text before and after it, repeated so many times.
  let open: String?
  let close: String?
  let levels: Int?
  let unwraps: String?
  let passes: Bool?
  let refused: String?

  static let all = Corpus.entries("SEC-10-json", of: HostileJSON.self)

  var body: Data {
    if let bytes { return Data(bytes.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }) }
    let count = levels ?? 0
    return Data(
      (String(repeating: open ?? "", count: count) + (json ?? "")
        + String(repeating: close ?? "", count: count)).utf8)
  }
}

/// A line of `SEC-15-problems.jsonl`: an error response, and the problem that is read from it.
struct HostileProblem: Decodable, Sendable {
  struct Members: Decodable, Sendable {
    let type: String
    let title: String?
    let status: Int?
    let detail: String?
    let instance: String?
  }

  let type: String
  let status: Int
  let body: String
  /// Blanks behind the body, and brackets before it.
  let pad: Int?
  let open: Int?
  let problem: Members?

  static let all = Corpus.entries("SEC-15-problems", of: HostileProblem.self)

  var text: String {
    String(repeating: "[", count: open ?? 0) + body + String(repeating: " ", count: pad ?? 0)
  }
}

@Suite("Hostile bodies")
struct HostileBodyTests {
  @Test("SEC-10: each body gives exactly one payload or an error with the place")
  func json() async throws {
    for entry in HostileJSON.all {
      let body = entry.content.body
      let publisher = Just(try makeResponse(body)).unwrapResultJSON()
      if let reason = entry.content.refused {
        let error = try await restError(of: publisher, sourceLocation: entry.location)
        #expect(error.kind == .malformedResponse, sourceLocation: entry.location)
        #expect(error.reason.contains(reason), "\(error)", sourceLocation: entry.location)
        #expect(error.reason.contains("not JSON"), sourceLocation: entry.location)
        #expect(!error.remedy.isEmpty, sourceLocation: entry.location)
      } else {
        let data = try await publisher.value.data
        let expected = entry.content.unwraps.map { Data($0.utf8) } ?? body
        #expect(data == expected, sourceLocation: entry.location)
        #expect(
          (entry.content.passes == true) != (entry.content.unwraps != nil),
          sourceLocation: entry.location)
      }
    }
  }

  @Test("SEC-15: each problem is read as data, and the response's own status counts")
  func problem() async throws {
    for entry in HostileProblem.all {
      let content = entry.content
      let response = try makeResponse(
        content.text, status: content.status, headers: ["Content-Type": content.type])
      let error = try await restError(of: Just(response).validateStatus())
      #expect(error.kind == .status(content.status), sourceLocation: entry.location)
      let problem = error.problem
      #expect(problem?.type == content.problem?.type, sourceLocation: entry.location)
      #expect(problem?.title == content.problem?.title, sourceLocation: entry.location)
      #expect(problem?.status == content.problem?.status, sourceLocation: entry.location)
      #expect(problem?.detail == content.problem?.detail, sourceLocation: entry.location)
      #expect(problem?.instance == content.problem?.instance, sourceLocation: entry.location)
      #expect((error.body?.count ?? 0) <= RESTError.maximumBodyLength)
      for text in allTexts(of: error) {
        #expect(!text.contains("canary"), sourceLocation: entry.location)
      }
    }
  }
}
