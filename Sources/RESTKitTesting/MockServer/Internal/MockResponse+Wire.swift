import Foundation
import RESTKit

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

  /// Returns one chunk with its framing, or nothing for no bytes, because that would be the last chunk.
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

  func hasField(_ name: String) -> Bool {
    headers.contains { MockFieldSyntax.isSame($0.name, name) }
  }
}
