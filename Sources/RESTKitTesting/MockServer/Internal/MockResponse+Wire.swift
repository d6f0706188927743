import Foundation
import RESTKit

extension MockResponse {
  /// Why the response cannot be written as HTTP; nil when it can.
  var fault: String? {
    guard (100...999).contains(status) else { return "the status \(status) is not in 100...999" }
    guard MockFieldSyntax.isContent(reason.utf8) else {
      return "the reason phrase has a control character"
    }
    for (name, value) in headers {
      guard MockFieldSyntax.isToken(name.utf8) else {
        return "a header is named '\(name)', which is no token"
      }
      guard MockFieldSyntax.isContent(value.utf8) else {
        return "the value of the header '\(name)' has a control character"
      }
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

  /// The status line and the fields, with the blank line after them.
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

  /// The chunks with their framing; `isWhole` adds the last chunk.
  static func chunkedBody(_ chunks: [Data], isWhole: Bool) -> [UInt8] {
    var bytes: [UInt8] = []
    for chunk in chunks where !chunk.isEmpty {
      bytes += Array("\(String(chunk.count, radix: 16))\r\n".utf8)
      bytes += chunk
      bytes += Array("\r\n".utf8)
    }
    if isWhole { bytes += Array("0\r\n\r\n".utf8) }
    return bytes
  }

  private func hasField(_ name: String) -> Bool {
    headers.contains { MockFieldSyntax.isSame($0.name, name) }
  }
}
