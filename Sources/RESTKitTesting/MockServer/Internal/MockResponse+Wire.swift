import Foundation

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

  /// Whether HTTP lets an answer with this status have a body (RFC 9110, 6.4.1).
  var mayHaveBody: Bool {
    status >= 200 && status != 204 && status != 304
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
    if let framing, mayHaveBody, !hasField("Content-Length"), !hasField("Transfer-Encoding") {
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

extension MockResponse {
  /// The registered phrase of a status (RFC 9110, 6585, 8297 …); empty for others.
  static func standardReason(of status: Int) -> String {
    switch status {
    case 100: "Continue"
    case 101: "Switching Protocols"
    case 103: "Early Hints"
    case 200: "OK"
    case 201: "Created"
    case 202: "Accepted"
    case 203: "Non-Authoritative Information"
    case 204: "No Content"
    case 205: "Reset Content"
    case 206: "Partial Content"
    case 300: "Multiple Choices"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 303: "See Other"
    case 304: "Not Modified"
    case 307: "Temporary Redirect"
    case 308: "Permanent Redirect"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 402: "Payment Required"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 406: "Not Acceptable"
    case 407: "Proxy Authentication Required"
    case 408: "Request Timeout"
    case 409: "Conflict"
    case 410: "Gone"
    case 411: "Length Required"
    case 412: "Precondition Failed"
    case 413: "Content Too Large"
    case 414: "URI Too Long"
    case 415: "Unsupported Media Type"
    case 416: "Range Not Satisfiable"
    case 417: "Expectation Failed"
    case 421: "Misdirected Request"
    case 422: "Unprocessable Content"
    case 425: "Too Early"
    case 426: "Upgrade Required"
    case 428: "Precondition Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 451: "Unavailable For Legal Reasons"
    case 500: "Internal Server Error"
    case 501: "Not Implemented"
    case 502: "Bad Gateway"
    case 503: "Service Unavailable"
    case 504: "Gateway Timeout"
    case 505: "HTTP Version Not Supported"
    case 511: "Network Authentication Required"
    default: ""
    }
  }
}
