import Fixtures
import Foundation
import RESTKit
import Streams
import Testing

@Suite("SEC-15: problem details of a server (RFC 9457)")
struct ProblemDetailsTests {
  private func problem(
    _ body: String, type: String? = "application/problem+json"
  ) async throws -> ProblemDetails? {
    let headers: HTTPHeaders = type.map { ["Content-Type": $0] } ?? [:]
    let response = try makeResponse(body, status: 403, headers: headers)
    return try await restError(of: Just(response).validateStatus()).problem
  }

  private static let whole = """
    {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.",
     "detail": "Your balance is 30.", "instance": "/account/1", "status": 403, "balance": 30}
    """

  @Test("Every member is read")
  func whole() async throws {
    let problem = try #require(await problem(Self.whole))
    #expect(problem.type == "https://example.com/probs/out-of-credit")
    #expect(problem.title == "You do not have enough credit.")
    #expect(problem.detail == "Your balance is 30.")
    #expect(problem.instance == "/account/1")
    #expect(problem.status == 403)
  }

  @Test("A document without members is about:blank")
  func empty() async throws {
    let problem = try #require(await problem("{}"))
    #expect(problem.type == "about:blank")
    #expect(problem.title == nil)
    #expect(problem.status == nil)
    #expect(problem.detail == nil)
    #expect(problem.instance == nil)
    #expect("\(problem)" == "problem, its texts hidden")
  }

  @Test("A member of the wrong type is ignored, the others are read (§3.1)")
  func wrongTypes() async throws {
    let problem = try #require(
      await problem(
        #"{"type": 1, "title": ["x"], "status": "403", "detail": "kept", "instance": null}"#))
    #expect(problem.type == "about:blank")
    #expect(problem.title == nil)
    #expect(problem.status == nil)
    #expect(problem.detail == "kept")
    #expect(problem.instance == nil)
  }

  @Test(
    "The media type is compared without case and parameters",
    arguments: [
      "application/problem+json; charset=utf-8", "Application/Problem+JSON",
      " application/problem+json ;x=y",
    ])
  func mediaTypes(type: String) async throws {
    #expect(try await problem(Self.whole, type: type) != nil)
  }

  @Test(
    "Another media type is no problem document",
    arguments: [
      "application/json", "text/html", "application/problem+xml", "application/problem+jsonx", "",
      nil,
    ])
  func otherTypes(type: String?) async throws {
    #expect(try await problem(Self.whole, type: type) == nil)
  }

  @Test(
    "A body that is not a JSON object is no problem document",
    arguments: ["", "Invalid", "[]", "\"x\"", "{\"title\": "])
  func notJSON(body: String) async throws {
    #expect(try await problem(body) == nil)
  }

  @Test("A document too long to be kept is no problem document, and does no harm")
  func huge() async throws {
    let detail = String(repeating: "x", count: 10 << 20)
    #expect(try await problem(#"{"detail": "\#(detail)"}"#) == nil)
    let longest = String(repeating: "x", count: RESTError.maximumBodyLength - 14)
    #expect(try await problem(#"{"detail": "\#(longest)"}"#)?.detail == longest)
  }

  @Test("Hostile members are kept as text, and no text of the error shows them")
  func hostile() async throws {
    let body = #"{"type": "javascript:canary()", "title": "<b>canary</b>", "status": 200}"#
    let response = try makeResponse(
      body, status: 500, headers: ["Content-Type": "application/problem+json"])
    let error = try await restError(of: Just(response).validateStatus())
    #expect(error.problem?.type == "javascript:canary()")
    #expect(error.problem?.status == 200)
    #expect(error.kind == .status(500))
    #expect(!error.description.contains("canary"))
  }
}
