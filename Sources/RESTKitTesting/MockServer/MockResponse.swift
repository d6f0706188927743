import Foundation
import RESTKit

/// A response of a ``MockServer``, and the way in which it is sent.
///
/// The server adds `Content-Length`, unless the headers have it or `Transfer-Encoding`, or the
/// status is 1xx, 204 or 304. The response to a `HEAD` has the length of the body and no body; if
/// the body is empty, it has no length. The connection stays open, unless the request or these
/// headers say `Connection: close`, or the delivery ends the connection.
///
/// A response that cannot be written becomes a 500 whose body names the fault. Examples are a
/// status outside 100...999, a line break in a field, and pieces with a `Content-Length` that is
/// not a number. To send broken syntax on purpose, use ``Delivery/raw(_:)``.
public struct MockResponse: Sendable {
  /// The status code, 100...999.
  public var status: Int

  /// The reason phrase; empty if the status has no standard phrase and none was given.
  public var reason: String

  /// The header fields in their order, with duplicates.
  public var headers: [(name: String, value: String)]

  /// The body; deliveries in chunks, in pieces and of raw bytes do not use it.
  public var body: Data

  /// The way in which the response is sent.
  public var delivery: Delivery

  /// A gate that holds the response back until it opens.
  ///
  /// While it waits, the server notices when the client closes.
  public var gate: MockGate?

  /// Creates a response; if `reason` is nil, it has the standard phrase of the status.
  public init(
    status: Int, reason: String? = nil, headers: [(name: String, value: String)] = [],
    body: Data = Data(), delivery: Delivery = .whole, gate: MockGate? = nil
  ) {
    self.status = status
    self.reason = reason ?? HTTPStatus.phrase(for: status) ?? ""
    self.headers = headers
    self.body = body
    self.delivery = delivery
    self.gate = gate
  }

  /// Returns a response with JSON text, sent as it is, and `Content-Type: application/json`.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - status: The status code, 100...999.
  ///   - headers: Further header fields. A `Content-Type` among them replaces the default one.
  ///   - delivery: The part of the response that is sent, and the way it is sent.
  ///   - gate: Holds the response back until it opens.
  public static func json(
    _ text: String, status: Int = 200, headers: HTTPHeaders = [:], delivery: Delivery = .whole,
    gate: MockGate? = nil
  ) -> MockResponse {
    MockResponse(
      text, contentType: "application/json", status: status, headers: headers, delivery: delivery,
      gate: gate)
  }

  /// Returns a response with plain text in UTF-8.
  ///
  /// - Parameters:
  ///   - text: The body.
  ///   - status: The status code, 100...999.
  ///   - headers: Further header fields. A `Content-Type` among them replaces the default one.
  ///   - delivery: The part of the response that is sent, and the way it is sent.
  ///   - gate: Holds the response back until it opens.
  public static func text(
    _ text: String, status: Int = 200, headers: HTTPHeaders = [:], delivery: Delivery = .whole,
    gate: MockGate? = nil
  ) -> MockResponse {
    MockResponse(
      text, contentType: "text/plain; charset=utf-8", status: status, headers: headers,
      delivery: delivery, gate: gate)
  }

  private init(
    _ text: String, contentType: String, status: Int, headers: HTTPHeaders, delivery: Delivery,
    gate: MockGate?
  ) {
    var fields = Array(headers)
    if !headers.contains("Content-Type") { fields.insert(("Content-Type", contentType), at: 0) }
    self.init(
      status: status, headers: fields, body: Data(text.utf8), delivery: delivery, gate: gate)
  }
}

extension MockResponse {
  /// The way in which a response is sent.
  ///
  /// ``whole``, ``paused(afterBytes:until:)``, ``chunked(_:)`` and ``pieces(_:end:)`` with a
  /// complete end keep the connection open. All other deliveries end it. A response that has no
  /// body by HTTP's rules (to `HEAD`; 1xx, 204, 304) is only its head in the deliveries that send a
  /// head.
  public enum Delivery: Sendable {
    /// The whole response.
    case whole

    /// The head, which announces the whole body, and the body's first bytes; then a close.
    case cut(afterBytes: Int)

    /// The head and the body's first bytes; the rest when the gate opens. With a gate that never
    /// opens, the server falls silent. While it waits, the server notices when the client closes.
    case paused(afterBytes: Int, until: MockGate)

    /// The head and these chunks with `Transfer-Encoding: chunked`. Empty chunks are left out.
    ///
    /// A client of HTTP/1.0 gets their bytes alone, and then a close, since it knows no chunks.
    case chunked([Data])

    /// The same as ``chunked(_:)`` without the last chunk; then a close.
    case chunkedCut([Data])

    /// The head at once, then the body piece by piece, each after its wait or when its gate opens,
    /// and then the end.
    ///
    /// The pieces are sent with `Transfer-Encoding: chunked`, one chunk each, or to a client of
    /// HTTP/1.0 as in ``chunked(_:)``. If the headers have a
    /// `Content-Length`, they are sent without chunks, and a complete end with fewer bytes than
    /// that is a close. Empty pieces only wait. While it waits, the server notices when the client
    /// closes.
    case pieces([MockPiece], end: BodyEnd = .complete)

    /// These bytes instead of a response; then a close.
    case raw(Data)

    /// These bytes instead of a response; then a reset of the connection (RST), which may discard
    /// bytes that the client has not read.
    case rawThenReset(Data)

    /// These bytes instead of a response, one at a time with this pause before each; then a close.
    case dripped(Data, every: Duration)

    /// These bytes instead of a response, and then the others again and again, until the client
    /// closes or the server stops.
    case endless(Data, repeating: Data)

    /// No byte; a close.
    case closeBeforeResponse

    /// No byte; a reset of the connection (RST).
    case resetBeforeResponse

    /// No byte, until the client closes or the server stops.
    case hang
  }
}

extension MockResponse {
  /// The reason why the response cannot be written as HTTP; nil if it can.
  var fault: String? {
    guard (100...999).contains(status) else { return "the status \(status) is not in 100...999" }
    guard MockFieldSyntax.isContent(reason.utf8) else {
      return "the reason phrase has a control character"
    }
    for (name, value) in headers {
      guard MockFieldSyntax.isToken(name.utf8) else {
        return "the header name '\(name)' is not a token"
      }
      guard MockFieldSyntax.isContent(value.utf8) else {
        return "the value of the header '\(name)' has a control character"
      }
    }
    if case .pieces = delivery, !hasField("Transfer-Encoding"), hasField("Content-Length"),
      announcedLength == nil
    {
      return "the Content-Length of its pieces is not a number of bytes"
    }
    return nil
  }

  /// Whether the response asks to end the connection.
  var closes: Bool {
    headers.contains {
      MockFieldSyntax.isSame($0.name, "Connection")
        && MockFieldSyntax.listElements(of: $0.value).contains("close")
    }
  }

  /// Returns the status line and the fields, with the blank line after them.
  func head(framing: (name: String, value: String)?, persistence: String?) -> [UInt8] {
    var text = "HTTP/1.1 \(status) \(reason)\r\n"
    for (name, value) in headers {
      text += "\(name): \(value)\r\n"
    }
    if let framing, HTTPStatus.allowsBody(status, to: nil), !hasField("Content-Length"),
      !hasField("Transfer-Encoding")
    {
      text += "\(framing.name): \(framing.value)\r\n"
    }
    if let persistence, !hasField("Connection") {
      text += "Connection: \(persistence)\r\n"
    }
    text += "\r\n"
    return Array(text.utf8)
  }

  /// Returns the chunks with their framing, and with the last chunk if `isWhole`.
  static func chunkedBody(_ chunks: [Data], isWhole: Bool) -> [UInt8] {
    chunks.reduce(into: []) { $0 += chunk($1) } + (isWhole ? lastChunk : [])
  }

  /// Returns one chunk with its framing, or nothing for no bytes, because that would be the last
  /// chunk.
  static func chunk(_ bytes: some Collection<UInt8>) -> [UInt8] {
    guard !bytes.isEmpty else { return [] }
    return Array("\(String(bytes.count, radix: 16))\r\n".utf8) + bytes + Array("\r\n".utf8)
  }

  static let lastChunk = Array("0\r\n\r\n".utf8)

  /// The length that the head announces for a body in pieces; nil if it is chunked.
  var announcedLength: Int? {
    guard !hasField("Transfer-Encoding") else { return nil }
    return MockFieldSyntax.length(
      in: headers.filter { MockFieldSyntax.isSame($0.name, "Content-Length") }.map(\.value))
  }

  /// Whether the body is sent in chunks to clients that know them.
  var isChunked: Bool {
    switch delivery {
    case .chunked, .chunkedCut: true
    case .pieces: announcedLength == nil
    default: false
    }
  }

  func hasField(_ name: String) -> Bool {
    headers.contains { MockFieldSyntax.isSame($0.name, name) }
  }

  mutating func removeField(_ name: String) {
    headers.removeAll { MockFieldSyntax.isSame($0.name, name) }
  }
}
