import Foundation
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The record of a URLSession task and its limits", .timeLimit(.minutes(10)))
struct URLSessionRecordTests {
  private func makeRecord(
    _ method: String = "GET", inPieces: Bool = false, deadline: URLSessionDeadline? = nil
  ) throws -> URLSessionRecord {
    var request = EngineRequest(url: "http://127.0.0.1:1/", method: method)
    if inPieces { request.onEvent = { _ in .more } }
    let message = try URLSessionMessage(request)
    // It is never started.
    let task = URLSession.shared.dataTask(with: message.request)
    return URLSessionRecord(
      call: EngineCall(completion: { _ in }, onCancel: { _ in }), task: URLSessionStarter(task),
      message: message,
      events: request.events, deadline: deadline)
  }

  private func head(_ fields: [String: String]) throws -> HTTPURLResponse {
    let url = try #require(URL(string: "http://127.0.0.1:1/"))
    return try #require(
      HTTPURLResponse(
        url: url, statusCode: 200,
        httpVersion: "HTTP/1.1", headerFields: fields))
  }

  @Test(
    "A head may have the limits' lines and bytes, with four bytes more per line",
    arguments: [
      (2, 15, nil), (1, 15, .limitExceeded(.headerCount)), (2, 14, .limitExceeded(.headerBytes)),
    ] as [(Int, Int, TransportError.Kind?)])
  func headAtLimits(count: Int, bytes: Int, kind: TransportError.Kind?) throws {
    var limits = TransportLimits()
    limits.headerCount = count
    limits.headerBytes = bytes
    let head = try head(["A": "1", "Bb": "123"])
    #expect(try makeRecord().faultOfHead(head, limits)?.kind == kind)
  }

  /// A length that is announced, and where.
  struct Announced: Sendable {
    var length = 101
    var method = "GET"
    var coding: String?
    var inPieces = false
    var isTooMuch = false
  }

  @Test(
    "An announced length beyond the limit is refused at once, if the body would be collected",
    arguments: [
      Announced(isTooMuch: true), Announced(length: 100), Announced(method: "HEAD"),
      Announced(coding: "gzip"), Announced(inPieces: true),
    ])
  func announced(_ announced: Announced) throws {
    var record = try makeRecord(announced.method, inPieces: announced.inPieces)
    record.bodyLimit = (.bodyBytes, 100)
    var fields = ["Content-Length": "\(announced.length)"]
    fields["Content-Encoding"] = announced.coding
    let fault = record.faultOfHead(try head(fields), TransportLimits())
    let kind: TransportError.Kind? = announced.isTooMuch ? .limitExceeded(.bodyBytes) : nil
    #expect(fault?.kind == kind)
  }

  @Test("An idle timeout restarts with each sent or received piece")
  func activity() async throws {
    let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
    // Over as soon as it runs.
    let deadline = URLSessionDeadline(.zero, on: .global()) { continuation.yield(1) }
    var record = try makeRecord(inPieces: true, deadline: deadline)
    var overs = stream.makeAsyncIterator()
    deadline.start()
    #expect(await overs.next() == 1)
    _ = record.take(try head([:]), TransportLimits())
    #expect(await overs.next() == 1)
    _ = record.take(Data("a".utf8))
    #expect(await overs.next() == 1)
    _ = record.take(sent: 1)
    #expect(await overs.next() == 1)
  }
}
