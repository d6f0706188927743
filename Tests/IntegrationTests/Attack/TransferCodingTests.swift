import Foundation
import RESTKit
import Testing

extension IntegrationTests.Attack {
  /// A transfer coding that was not requested, or that has invalid syntax.
  struct TransferCoding: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// All lines of it, with their ends.
    let lines: String
    var body: [UInt8] = Array("5\r\nhello\r\n0\r\n\r\n".utf8)
    /// Why Foundation cannot show it; nil where it can.
    var unseenByFoundation: String?

    init(_ value: String, body: [UInt8]? = nil, unseenByFoundation: String? = nil) {
      testDescription = value
      lines = "Transfer-Encoding: \(value)\r\n"
      if let body { self.body = body }
      self.unseenByFoundation = unseenByFoundation
    }

    init(lines: String, unseenByFoundation: String? = nil) {
      testDescription = String(reflecting: lines)
      self.lines = lines
      self.unseenByFoundation = unseenByFoundation
    }

    private static func chunk(_ bytes: [UInt8]) -> [UInt8] {
      Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n0\r\n\r\n".utf8)
    }

    private static let packed = PackedBytes.gzip("hello world")

    static let all: [TransferCoding] = [
      TransferCoding("gzip, chunked", body: chunk(packed)),
      // Whole chunks around half of it.
      TransferCoding("gzip, chunked", body: chunk(Array(packed.prefix(packed.count / 2)))),
      TransferCoding("x-gzip, chunked", body: chunk(packed)),
      TransferCoding("deflate, chunked"),
      TransferCoding("br, chunked"),
      TransferCoding("zstd, chunked"),
      TransferCoding("compress, chunked"),
      TransferCoding("gzip", body: packed),
      TransferCoding("identity"),
      TransferCoding("identity, chunked"),
      TransferCoding("chunked, identity"),
      TransferCoding("chunked, chunked"),
      TransferCoding("chunked, gzip"),
      TransferCoding("xchunked"),
      TransferCoding("chunkedx"),
      TransferCoding("\"chunked\""),
      TransferCoding("chunked;q=1"),
      TransferCoding("made-up"),
      TransferCoding(lines: "Transfer-Encoding:\r\n"),
      TransferCoding(
        lines: "Transfer-Encoding:\r\n chunked\r\n",
        unseenByFoundation: "Foundation puts folded lines together, libcurl does not"),
      TransferCoding(lines: "Transfer-Encoding: chunked\r\n \r\n"),
      TransferCoding(lines: "Transfer-Encoding: gzip,\r\n chunked\r\n"),
      TransferCoding(lines: "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"),
      TransferCoding(lines: "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n"),
      TransferCoding(
        lines: "Transfer-Encoding: chunked\r\ntransfer-encoding: identity\r\n",
        unseenByFoundation: "Foundation tells of one of two spellings, of either"),
    ]
  }

  @Suite("Transfer codings that were not requested")
  struct TransferCodings {
    @Test(
      "SEC-09: a Transfer-Encoding other than one chunked on one line is refused",
      arguments: TransportKind.allCases, TransferCoding.all)
    func refused(kind: TransportKind, coding: TransferCoding) async throws {
      let peer = try RawPeer { _ in
        let head = "HTTP/1.1 200 OK\r\n\(coding.lines)\r\n"
        return [.send(Array(head.utf8) + coding.body)]
      }
      defer { peer.stop() }
      let api = PeerAPI(peer.address, try kind.makeTransport())
      for inPieces in [false, true] {
        let outcome = await api.outcome(inPieces: inPieces)
        if kind.isURLSessionOnLinux, let reason = coding.unseenByFoundation {
          withKnownIssue(Comment(rawValue: reason), isIntermittent: true) {
            #expect(outcome.name == "malformedResponse", "\(outcome)")
          }
        } else {
          #expect(outcome.name == "malformedResponse", "\(outcome)")
        }
      }
    }

    @Test(
      "chunked alone is read, in any case and with spaces around it",
      arguments: TransportKind.allCases, ["chunked", "Chunked", " \tchunked \t"])
    func chunked(kind: TransportKind, value: String) async throws {
      let peer = try RawPeer { _ in
        [
          .send(
            Array(
              "HTTP/1.1 200 OK\r\nTransfer-Encoding: \(value)\r\n\r\n5\r\nhello\r\n0\r\n\r\n".utf8)),
          .keep,
        ]
      }
      defer { peer.stop() }
      let api = PeerAPI(peer.address, try kind.makeTransport())
      for inPieces in [false, true] {
        #expect(await api.outcome(inPieces: inPieces) == .response(200, Data("hello".utf8)))
      }
    }
  }
}
