import Foundation
import RESTKit

/// A response that is cut at each of its bytes.
struct CutResponse: Sendable, CustomStringConvertible {
  enum Ending: String, CaseIterable, Sendable {
    case closed, reset
  }

  /// How the end of its body is known.
  enum Framing: Sendable {
    case length, chunks, close
  }

  let description: String
  var method = HTTPMethod.get
  var status = 200
  /// Interim responses before it.
  var interim = ""
  let head: String
  var wire: [UInt8] = []
  /// The body of the whole response.
  var text = ""
  var framing = Framing.length
  var isPacked = false
  /// The different results of URLSession on Linux, and their reason.
  var urlSession: Exception?

  /// A fault of Foundation's that has a row in Docs/Transports.md.
  enum Exception: Sendable {
    /// It ends the process.
    case crash
    /// The body of a redirect is not read.
    case noBody
    /// A coding that ends early is not noticed.
    case truncates
    /// Only one member of gzip is undone.
    case oneMember
  }

  static let all: [CutResponse] = [
    CutResponse(
      description: "with a length", head: "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n",
      wire: Array("hello world".utf8), text: "hello world"),
    CutResponse(
      description: "in chunks", head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      wire: Array("5\r\nhello\r\n6;x=y\r\n world\r\n0\r\n\r\n".utf8), text: "hello world",
      framing: .chunks),
    CutResponse(
      description: "in chunks with a trailer",
      head: "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
      wire: Array("b\r\nhello world\r\n0\r\nX-Sum: 1\r\nX-More: 2\r\n\r\n".utf8),
      text: "hello world", framing: .chunks, urlSession: .crash),
    CutResponse(
      description: "gzip with a length",
      head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 34\r\n\r\n",
      wire: PackedBytes.gzip("hello world"), text: "hello world", isPacked: true),
    CutResponse(
      description: "gzip of two members",
      head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 57\r\n\r\n",
      wire: PackedBytes.gzip("hello") + PackedBytes.gzip(" world"), text: "hello world",
      isPacked: true, urlSession: .oneMember),
    CutResponse(
      description: "gzip in chunks",
      head:
        "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n",
      wire: Array("22\r\n".utf8) + PackedBytes.gzip("hello world") + Array("\r\n0\r\n\r\n".utf8),
      text: "hello world", framing: .chunks, isPacked: true),
    CutResponse(
      description: "gzip that the close ends",
      head: "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n",
      wire: PackedBytes.gzip("hello world"), text: "hello world", framing: .close, isPacked: true,
      urlSession: .truncates),
    CutResponse(
      description: "that the close ends", head: "HTTP/1.1 200 OK\r\nX-A: b\r\n\r\n",
      wire: Array("hello world".utf8), text: "hello world", framing: .close),
    CutResponse(
      description: "to a HEAD", method: .head,
      head: "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n"),
    CutResponse(
      description: "without content", status: 204, head: "HTTP/1.1 204 No Content\r\nX-A: b\r\n\r\n"
    ),
    CutResponse(
      description: "behind an interim one",
      interim: "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n",
      head: "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", wire: Array("hello".utf8),
      text: "hello"),
    CutResponse(
      description: "that is a redirect", status: 302,
      head: "HTTP/1.1 302 Found\r\nLocation: /b\r\nContent-Length: 5\r\n\r\n",
      wire: Array("hello".utf8), text: "hello", urlSession: .noBody),
  ]

  var bytes: [UInt8] { Array(interim.utf8) + Array(head.utf8) + wire }

  /// Where its body begins.
  private var bodyStart: Int { interim.utf8.count + head.utf8.count }

  /// Where the last head's status line is whole, its line end included.
  private var statusEnd: Int {
    interim.utf8.count + head.utf8.prefix { $0 != 10 }.count + 1
  }

  /// Whether Foundation dies of a head that ends before its blank line, or of this response.
  func endsProcess(_ kind: TransportKind, cutAt place: Int) -> Bool {
    guard kind.isURLSessionOnLinux else { return false }
    if urlSession == .crash, place >= bodyStart { return true }
    return place >= "HTTP/1.1 200 OK".utf8.count && place < bodyStart && place != interim.utf8.count
  }

  /// Whether a cut may have this outcome.
  func allows(
    _ outcome: AttackOutcome, of kind: TransportKind, cutAt place: Int, _ ending: Ending
  ) -> Bool {
    if let fault = outcome.fault, !fault.mayHaveBeenProcessed { return false }
    if kind.isURLSessionOnLinux, place >= bodyStart, isKnownOfFoundation(outcome) { return true }
    if place == bytes.count {
      // All came, and then a reset may overtake it.
      if ending == .reset, outcome.name == "connectionReset" { return true }
      return outcome == .response(status, Data(text.utf8))
        && (ending == .closed || framing != .close)
    }
    if ending == .reset { return outcome.name == "connectionReset" }
    if place < bodyStart { return isFaultOfHead(outcome.name, place) }
    if framing == .close, !isPacked {
      return outcome == .response(status, Data(wire.prefix(place - bodyStart)))
    }
    // RFC 9112 §8: chunks are complete after the last one. Only the last line feed is missing.
    if framing == .chunks, place == bytes.count - 1,
      outcome == .response(status, Data(text.utf8))
    {
      return true
    }
    return outcome.name == "bodyCut"
  }

  private func isFaultOfHead(_ name: String, _ place: Int) -> Bool {
    if place < statusEnd {
      let isInInterim = place > 0 && place < interim.utf8.count
      if name == "connectionClosedBeforeResponse" { return true }
      return isInInterim && name == "connectionReset"
    }
    // After the last line of a head, the length of the missing part is known.
    return name == "connectionReset" || name == "bodyCut" && place >= bodyStart - 2
  }

  private func isKnownOfFoundation(_ outcome: AttackOutcome) -> Bool {
    switch urlSession {
    case .noBody: outcome == .response(status, Data())
    case .truncates: outcome.name == "200"
    case .oneMember: outcome.name == "undecodableBody"
    case .crash, nil: false
    }
  }
}
