import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A server that has no end, or makes much of little.
struct HostilePeer: Sendable, CustomTestStringConvertible {
  let name: String
  let delivery: MockResponse.Delivery
  /// The expected faults, of which one is reported.
  let faults: [String]

  var testDescription: String { name }

  var isEndless: Bool { if case .endless = delivery { true } else { false } }

  private static let head = "HTTP/1.1 200 OK\r\n"
  private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"
  private static let headerLimits = [
    "limitExceeded(headerBytes)", "limitExceeded(headerLineBytes)", "limitExceeded(headerCount)",
  ]

  private static func endless(_ start: String, _ more: String) -> MockResponse.Delivery {
    .endless(Data(start.utf8), repeating: Data(more.utf8))
  }

  static let all = [
    HostilePeer(
      name: "interim responses without end",
      delivery: endless("", "HTTP/1.1 103 Early Hints\r\nX: y\r\n\r\n"),
      faults: headerLimits),
    HostilePeer(
      name: "header lines without end", delivery: endless(head, "X-A: y\r\n"),
      faults: headerLimits),
    HostilePeer(
      name: "a header line without end",
      delivery: endless(head + "X-A: ", String(repeating: "y", count: 1_000)),
      faults: headerLimits),
    HostilePeer(
      name: "a status line without end",
      delivery: endless("HTTP/1.1 200 ", String(repeating: "y", count: 1_000)),
      faults: headerLimits),
    HostilePeer(
      name: "a body without end, without a length",
      delivery: endless(head + "\r\n", String(repeating: "y", count: 1_000)),
      faults: ["limitExceeded(bodyBytes)"]),
    HostilePeer(
      name: "chunks without end", delivery: endless(chunked, "5\r\nhello\r\n"),
      faults: ["limitExceeded(bodyBytes)"]),
    HostilePeer(
      name: "one chunk without end",
      delivery: endless(chunked + "7fffffff\r\n", String(repeating: "y", count: 1_000)),
      faults: ["limitExceeded(bodyBytes)"]),
    HostilePeer(
      name: "a chunk's extension without end",
      delivery: endless(chunked + "5;", String(repeating: "y", count: 1_000)),
      faults: ["timedOut", "malformedResponse"]),
    HostilePeer(
      name: "trailers without end", delivery: endless(chunked + "0\r\n", "X-A: y\r\n"),
      faults: headerLimits),
    HostilePeer(
      name: "an error page without end",
      delivery: endless("HTTP/1.1 500 No\r\n\r\n", String(repeating: "y", count: 1_000)),
      faults: ["limitExceeded(errorBodyBytes)"]),
    HostilePeer(
      name: "gzip without end",
      delivery: .endless(
        Data((head + "Content-Encoding: gzip\r\n\r\n").utf8), repeating: BodyFixtures.zerosMember),
      faults: ["limitExceeded(expansionRatio)", "limitExceeded(bodyBytes)"]),
    HostilePeer(
      name: "a byte now and then",
      delivery: .dripped(
        Data((head + "Content-Length: 100000\r\n\r\n").utf8) + Data(count: 100_000),
        every: .milliseconds(2)),
      faults: ["timedOut"]),
    HostilePeer(
      name: "silence", delivery: .hang, faults: ["timedOut"]),
  ]
}

@Suite("Hostile peers, on both transports", .timeLimit(.minutes(10)))
struct HostilePeerTests {
  @Test(
    "SEC-09: a peer that never ends is left, with a typed error", arguments: TransportKind.allCases,
    HostilePeer.all)
  func endless(kind: TransportKind, peer: HostilePeer) async throws {
    if kind == .urlSession, peer.isEndless {
      try Test.cancel(
        "Foundation reads on as long as bytes are there, on a queue that the whole process shares")
    }
    let server = try MockServer { _ in MockResponse(status: 200, delivery: peer.delivery) }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.bodyBytes = 4 << 20
    // Those that only the time can end need not take long; all others must have enough of it.
    let endsByTime = peer.faults.contains("timedOut")
    let publisher = TestAPI(baseURL: server.baseURL, transport: try kind.make(limits: limits))
      .get(endpoint: "a") { request in
        var request = request
        request.timeoutInterval = endsByTime ? 0.4 : 60
        return request
      }
    let error = try await restError(of: publisher)
    #expect(peer.faults.contains(FaultName.name(of: error)), "\(error)")
    #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == true)
    #expect(try await server.connectionClosed(0) == .client)
  }

  @Test("SEC-09: a header line of a mebibyte is over the limit", arguments: TransportKind.allCases)
  func hugeHeader(kind: TransportKind) async throws {
    let server = try MockServer { _ in
      MockResponse(status: 200, headers: [("X-A", String(repeating: "y", count: 1 << 20))])
    }
    defer { server.stop() }
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: try kind.make()).get(endpoint: "a"))
    // libcurl accepts 100 KiB a line, with any limit on all lines.
    let names = ["limitExceeded(headerBytes)", "limitExceeded(headerLineBytes)"]
    #expect(names.contains(FaultName.name(of: error)))
  }

  @Test(
    "SEC-09: a bomb of a thousand to one ends at a limit", arguments: TransportKind.allCases,
    [("gzip", "gz"), ("deflate", "zlib"), ("deflate", "deflate"), ("br", "br")])
  func bomb(kind: TransportKind, bomb: (coding: String, file: String)) async throws {
    let bytes = try Data(contentsOf: Corpus.folder.appending(path: "bomb.\(bomb.file)"))
    #expect(bytes.count < (8 << 20) / 1_000)
    let server = try MockServer { _ in
      MockResponse(status: 200, headers: [("Content-Encoding", bomb.coding)], body: bytes)
    }
    defer { server.stop() }
    var limits = TransportLimits()
    limits.bodyBytes = 4 << 20
    let error = try await restError(
      of: TestAPI(baseURL: server.baseURL, transport: try kind.make(limits: limits))
        .get(endpoint: "a"))
    // Where a coding was not asked for, or Foundation's libcurl lacks it, it is not undone at all.
    let faults =
      kind == .urlSession
      ? ["limitExceeded(bodyBytes)", "undecodableBody"]
      : [bomb.coding == "br" ? "undecodableBody" : "limitExceeded(expansionRatio)"]
    #expect(faults.contains(FaultName.name(of: error)), "\(error)")
  }

  @Test("SEC-09: a drip that ends in time is a response", arguments: TransportKind.allCases)
  func patience(kind: TransportKind) async throws {
    let bytes = Data("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello".utf8)
    let server = try MockServer { _ in
      MockResponse(status: 200, delivery: .dripped(bytes, every: .milliseconds(1)))
    }
    defer { server.stop() }
    let response = try await TestAPI(baseURL: server.baseURL, transport: try kind.make())
      .get(endpoint: "a").value
    #expect(response.data == Data("hello".utf8))
  }

  @Test(
    "SEC-09: bytes after a body are not a response to the next call",
    arguments: TransportKind.allCases)
  func smuggledResponse(kind: TransportKind) async throws {
    let server = try MockServer { request in
      let smuggled = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil"
      return request.index == 0
        ? MockResponse(
          status: 200, headers: [("Content-Length", "5")], body: Data(("hello" + smuggled).utf8))
        : .text("good")
    }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: try kind.make())
    #expect(try await api.get(endpoint: "a").value.data == Data("hello".utf8))
    #expect(try await api.get(endpoint: "b").value.data == Data("good".utf8))
    #expect(server.connectionCount == 2)
  }
}
