import Foundation
import RESTKit
import RESTKitReports
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A replayed recording keeps the rules of requests and responses")
struct HARReplayRulesTests {
  private static let url = "https://shop.example.com/a"

  private func replay(
    status: Int = 200, method: String = "GET", headers: [(String, String)] = [],
    body: String = "body", limits: TransportLimits = TransportLimits()
  ) throws -> HARReplay {
    let fields = headers.map { ["name": $0.0, "value": $0.1] }
    let entry: [String: Any] = [
      "request": ["method": method, "url": Self.url],
      "response": ["status": status, "headers": fields, "content": ["text": body]],
    ]
    let file: [String: Any] = ["log": ["version": "1.2", "entries": [entry]]]
    return HARReplay(try HAR(JSONSerialization.data(withJSONObject: file)), limits: limits)
  }

  private func request(_ method: String = "GET") throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: Self.url)))
    request.httpMethod = method
    return request
  }

  /// The outcome of the replay of both forms, which must be the same.
  private func outcome(
    of request: URLRequest, _ replay: () throws -> HARReplay
  ) async throws -> (data: Data?, kind: RESTError.Kind?) {
    let data = try? await (try replay()).body(of: request, isInPieces: false)
    let kind = await (try replay()).failure(of: request, isInPieces: false)?.kind
    let pieces = try? await (try replay()).body(of: request, isInPieces: true)
    #expect(pieces == data)
    #expect(await (try replay()).failure(of: request, isInPieces: true)?.kind == kind)
    return (data, kind)
  }

  @Test("A request that no transport sends is refused, and uses no entry")
  func refused() async throws {
    var wrong = try request()
    wrong.setValue("evil.example", forHTTPHeaderField: "Host")
    #expect(try await outcome(of: wrong) { try replay() }.kind == .invalidRequest)
    let unused = try replay()
    #expect(await unused.failure(of: wrong, isInPieces: false)?.kind == .invalidRequest)
    var two = try request("PUT")
    two.httpBody = Data("x".utf8)
    let failure = await unused.failure(of: two, isInPieces: true, sending: .data(Data("y".utf8)))
    #expect(failure?.kind == .invalidRequest)
    #expect(unused.unusedEntries.count == 1)
  }

  @Test("A response that has no body by HTTP's rules comes without the recorded one")
  func bodiless() async throws {
    let head = try await outcome(of: request("HEAD")) { try replay(method: "HEAD") }
    #expect(head.data == Data() && head.kind == nil)
    for status in [204, 304] {
      let empty = try await outcome(of: request()) { try replay(status: status) }
      #expect(empty.data == Data() && empty.kind == nil)
    }
  }

  @Test("A recorded status that is no final one, and a switch of protocols, are malformed")
  func statuses() async throws {
    for status in [99, 100, 101, 199] {
      let kind = try await outcome(of: request()) { try replay(status: status) }.kind
      #expect(kind == .transport(.malformedResponse), "\(status)")
    }
    #expect(try await outcome(of: request()) { try replay(status: 999) }.kind == nil)
  }

  @Test("A recorded body and head over the limits are faults that name the limit")
  func limits() async throws {
    var limits = TransportLimits()
    (limits.bodyBytes, limits.errorBodyBytes, limits.headerCount) = (3, 2, 1)
    #expect(try replay(limits: limits).limits == limits)
    for (status, kind) in [(200, TransportError.Limit.bodyBytes), (404, .errorBodyBytes)] {
      let failure = await (try replay(status: status, limits: limits))
        .failure(of: try request(), isInPieces: false)
      #expect(failure?.kind == .transport(.limitExceeded(kind)))
      #expect(failure?.response?.statusCode == status)
    }
    let pieces = await (try replay(limits: limits)).failure(of: try request(), isInPieces: true)
    #expect(pieces == nil)
    let lines = [("X-A", "1"), ("X-B", "2")]
    let kind = try await outcome(of: request()) {
      try replay(headers: lines, body: "", limits: limits)
    }.kind
    #expect(kind == .transport(.limitExceeded(.headerCount)))
  }

  @Test("A recorded body is decoded already, and its header fields stay as they were")
  func decoded() async throws {
    let fields = [
      ("Content-Encoding", "gzip"), ("Content-Length", "2"), ("Transfer-Encoding", "chunked"),
      ("X-A", " b "),
    ]
    let response = try await replay(headers: fields).response(for: try request()).value
    #expect(response.data == Data("body".utf8))
    #expect(response.headers["Content-Encoding"] == "gzip")
    #expect(response.headers["Content-Length"] == "2")
    #expect(response.headers["X-A"] == "b")
  }
}
