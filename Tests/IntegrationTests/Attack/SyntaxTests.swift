import Foundation
import RESTKit
import Testing

extension IntegrationTests.Attack {
  /// A response that is nearly one.
  struct NearlyHTTP: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let bytes: [UInt8]
    /// The reported fault.
    let fault: String

    init(_ name: String, _ text: String, fault: String = "malformedResponse") {
      testDescription = name
      bytes = Array(text.utf8)
      self.fault = fault
    }

    private static let ok = "Content-Length: 5\r\n\r\nhello"
    private static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let all: [NearlyHTTP] = [
      NearlyHTTP("a bare CR in a value", "HTTP/1.1 200 OK\r\nX-A: a\rb\r\n\(ok)"),
      NearlyHTTP("a bare CR before the line's end", "HTTP/1.1 200 OK\r\nX-A: a\r\r\n\(ok)"),
      NearlyHTTP("an empty field name", "HTTP/1.1 200 OK\r\n: a\r\n\(ok)"),
      NearlyHTTP("a blank before the colon", "HTTP/1.1 200 OK\r\nX-A : a\r\n\(ok)"),
      NearlyHTTP("a tab before the colon", "HTTP/1.1 200 OK\r\nX-A\t: a\r\n\(ok)"),
      NearlyHTTP("a blank in a name", "HTTP/1.1 200 OK\r\nX A: a\r\n\(ok)"),
      NearlyHTTP(
        "a 101 nobody asked for",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n"),
      NearlyHTTP(
        "a 101 nobody asked for, and a response",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nHTTP/1.1 200 OK\r\n\(ok)"),
      NearlyHTTP("a protocol in small letters", "http/1.1 200 OK\r\n\(ok)"),
      NearlyHTTP("a version of a letter", "HTTP/K.1 200 OK\r\n\(ok)"),
      NearlyHTTP("a version of two digits", "HTTP/1.10 200 OK\r\n\(ok)"),
      NearlyHTTP("letters right behind the status", "HTTP/1.1 200ose\r\n\(ok)"),
      NearlyHTTP("a chunk size with a letter behind", "\(chunked)5g\r\nhello\r\n0\r\n\r\n"),
      NearlyHTTP("a chunk size with a colon", "\(chunked)6:a=b\r\nhello!\r\n0\r\n\r\n"),
      NearlyHTTP("a chunk size with 0x", "\(chunked)0x5\r\nhello\r\n0\r\n\r\n"),
      NearlyHTTP("a chunk size with a sign", "\(chunked)+5\r\nhello\r\n0\r\n\r\n"),
      NearlyHTTP("a chunk with more than its size", "\(chunked)5\r\nhelloXX\r\n0\r\n\r\n"),
      NearlyHTTP("a folded line before any other", "HTTP/1.1 200 OK\r\n X-A: a\r\n\(ok)"),
      NearlyHTTP(
        "four codings over garbage",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, deflate, br, gzip\r\n\(ok)",
        fault: "undecodableBody"),
      NearlyHTTP(
        "gzip that ends right behind the head",
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n", fault: "bodyCut"),
      NearlyHTTP(
        "deflate that ends right behind the head",
        "HTTP/1.1 200 OK\r\nContent-Encoding: deflate\r\n\r\n", fault: "bodyCut"),
    ]
  }

  @Suite("Responses that are nearly HTTP")
  struct Syntax {
    /// Foundation's result, where it differs and Docs/Transports.md says so.
    static let ofFoundation = [
      "a protocol in small letters": "200", "a version of a letter": "200",
      "a chunk size with a letter behind": "200", "a chunk size with a colon": "200",
      "gzip that ends right behind the head": "200",
      "deflate that ends right behind the head": "200",
    ]

    @Test(
      "SEC-09: each response is refused with the fault that it has",
      arguments: TransportKind.allCases, NearlyHTTP.all)
    func refused(kind: TransportKind, answer: NearlyHTTP) async throws {
      let peer = try RawPeer { _ in [.send(answer.bytes)] }
      defer { peer.stop() }
      let api = PeerAPI(peer.address, try kind.makeTransport())
      for inPieces in [false, true] {
        let outcome = await api.outcome(inPieces: inPieces)
        let own = kind.isURLSessionOnLinux ? Self.ofFoundation[answer.testDescription] : nil
        #expect(outcome.name == own ?? answer.fault, "\(outcome)")
      }
    }

    @Test(
      "SEC-09: a line longer than libcurl accepts is reported with a remedy that helps",
      arguments: TransportKind.allCases)
    func longLine(kind: TransportKind) async throws {
      let line = "X-A: " + String(repeating: "y", count: 150_000)
      let peer = try RawPeer { _ in
        [.send(Array("HTTP/1.1 200 OK\r\n\(line)\r\nContent-Length: 0\r\n\r\n".utf8)), .keep]
      }
      defer { peer.stop() }
      let outcome = await PeerAPI(peer.address, try kind.makeTransport()).outcome()
      let fault = try #require(outcome.fault)
      #expect(outcome.name == "limitExceeded(headerLineBytes)")
      #expect(!fault.description.contains("Out of memory"), "\(fault)")
      #expect(!fault.description.contains("raise"), "\(fault)")
    }

    @Test(
      "SEC-09: a whole early response is not lost in a reset that follows",
      arguments: TransportKind.allCases)
    func earlyResponse(kind: TransportKind) async throws {
      var names: [String] = []
      for _ in 0..<10 {
        // The response comes with the head, before the body is read, and so does the reset.
        let peer = try RawPeer(readsBodies: false) { _ in
          [.send(RawPeer.answer("early")), .pause(30), .reset]
        }
        defer { peer.stop() }
        let outcome = await PeerAPI(peer.address, try kind.makeTransport()).outcome(
          .post, body: Data(count: 8 << 20))
        let isTold = outcome.fault?.statusCode == 200
        let isDelivered = outcome == .response(200, Data("early".utf8))
        if !isTold, !isDelivered { names.append("\(outcome)") }
      }
      #expect(names.isEmpty, "\(names)")
    }
  }
}
