import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The faults between a caller and a server, and their reports.
enum FaultCase: String, CaseIterable, Sendable {
  case refused, noSuchHost, plainPort, resetBefore, resetInHead, resetInBody, closedBefore
  case cutBody, malformed, undecodable, timedOutWaiting, timedOutReading
  case tooLarge, tooManyHeaders, badHeader, badMethod, userInfo

  /// The fault and whether the server may have acted on the request.
  var expected: (kind: TransportError.Kind, mayHaveBeenProcessed: Bool) {
    switch self {
    case .refused: (.connectionRefused, false)
    case .noSuchHost: (.hostNotFound, false)
    case .plainPort: (.tlsFailed(Self.reasonOfPlainPort), false)
    case .resetBefore, .resetInHead, .resetInBody: (.connectionReset, true)
    case .closedBefore: (.connectionClosedBeforeResponse, true)
    case .cutBody: (.bodyCut, true)
    case .malformed: (.malformedResponse, true)
    case .undecodable: (.undecodableBody, true)
    case .timedOutWaiting, .timedOutReading: (.timedOut, true)
    case .tooLarge: (.limitExceeded(.bodyBytes), true)
    case .tooManyHeaders: (.limitExceeded(.headerCount), true)
    case .badHeader, .badMethod: (.invalidRequest, false)
    case .userInfo: (.unsupportedURL, false)
    }
  }

  /// What URLSession tells of a port that does not speak TLS: on Apple's systems no more than
  /// −1200.
  private static var reasonOfPlainPort: TransportError.TLSReason {
    #if canImport(FoundationNetworking)
      .notTLS
    #else
      .handshake
    #endif
  }

  var answer: MockResponse {
    func raw(_ text: String, resets: Bool = false) -> MockResponse {
      let bytes = Data(text.utf8)
      return MockResponse(status: 200, delivery: resets ? .rawThenReset(bytes) : .raw(bytes))
    }
    return switch self {
    case .resetBefore: MockResponse(status: 200, delivery: .resetBeforeResponse)
    case .resetInHead: raw("HTTP/1.1 200 OK\r\nX-A", resets: true)
    case .resetInBody: raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello", resets: true)
    case .closedBefore: MockResponse(status: 200, delivery: .closeBeforeResponse)
    case .cutBody: raw("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhello")
    case .malformed: raw("nothing like HTTP\r\n\r\n")
    case .undecodable: raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nhello")
    case .timedOutWaiting: MockResponse(status: 200, delivery: .hang)
    case .timedOutReading:
      MockResponse(
        status: 200, body: patternedBody(100), delivery: .paused(afterBytes: 10, until: MockGate()))
    case .tooLarge: MockResponse(status: 200, body: patternedBody(1_001))
    case .tooManyHeaders:
      MockResponse(status: 200, headers: (0..<101).map { ("X-\($0)", "v") })
    default: .text("never asked for")
    }
  }

  func url(_ server: MockServer) -> String {
    switch self {
    // RFC 6761 §6.4: this domain never has an address.
    case .noSuchHost: "http://nowhere.invalid/a"
    case .plainPort: "https://127.0.0.1:\(server.port)/a"
    case .userInfo: "http://user:canary@127.0.0.1:\(server.port)/a"
    default: server.baseURL + "/a"
    }
  }
}

@Suite("Faults, the same on both transports", .timeLimit(.minutes(10)))
struct FaultTableTests {
  @Test(
    "SEC-09: each fault has one kind, and says whether the request may have been processed",
    arguments: TransportKind.allCases, FaultCase.allCases)
  func table(kind: TransportKind, fault: FaultCase) async throws {
    let server = try MockServer { _ in fault.answer }
    defer { server.stop() }
    if fault == .refused { server.stop() }
    var request = URLRequest(url: try #require(URL(string: fault.url(server))))
    request.httpMethod = fault == .badMethod ? "GET /" : "POST"
    request.httpBody = Data("body".utf8)
    request.setValue(fault == .badHeader ? "canary\u{7F}" : "v", forHTTPHeaderField: "X-Own")
    let endsByTime = fault == .timedOutWaiting || fault == .timedOutReading
    request.timeoutInterval = endsByTime ? 0.2 : 60
    var limits = TransportLimits()
    limits.bodyBytes = 1_000
    limits.headerCount = 100
    let error = try await restError(of: kind.make(limits: limits).response(for: request))
    let expected = fault.expected
    let cause = try #require(error.underlyingError as? TransportError)
    let note = Unseen.note(in: "FaultTableTests.swift")
    #expect(cause.kind == expected.kind, note ?? "\(error)")
    #expect(cause.mayHaveBeenProcessed == expected.mayHaveBeenProcessed, note)
    let isInvalid = expected.kind == .invalidRequest || expected.kind == .unsupportedURL
    #expect(error.kind == (isInvalid ? .invalidRequest : .transport(expected.kind)))
    #expect(error.reason.contains("may have processed") == expected.mayHaveBeenProcessed)
    #expect(!error.remedy.isEmpty)
    for text in allTexts(of: error) { #expect(!text.contains("canary")) }
    // POST is never repeated behind the caller's back.
    #expect(server.requests.count <= 1)
  }

  @Test("A cancelled call ends only with its cancellation", arguments: TransportKind.allCases)
  func cancelled(kind: TransportKind) async throws {
    let server = try MockServer { _ in MockResponse(status: 200, delivery: .hang) }
    defer { server.stop() }
    let transport = try kind.make()
    let url = try #require(URL(string: server.baseURL))
    let call = Task { try await transport.response(for: URLRequest(url: url)).value.statusCode }
    try await server.received(1)
    call.cancel()
    await #expect(throws: CancellationError.self) { try await call.value }
    #expect(try await server.connectionClosed(0) == .client)
  }
}
