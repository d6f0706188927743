import Foundation

/// What a response says before its body.
public struct ResponseHead: Sendable {
  /// The URL that answered: after redirects, the last one.
  public let url: URL
  /// The status code (RFC 9110 §15).
  public let statusCode: Int
  /// Such as `HTTP/1.1`; empty where the transport does not say.
  public let httpVersion: String
  /// The fields, in order, duplicates kept.
  public let headers: HTTPHeaders

  public init(
    url: URL, statusCode: Int, httpVersion: String = "HTTP/1.1", headers: HTTPHeaders = [:]
  ) {
    self.url = url
    self.statusCode = statusCode
    self.httpVersion = httpVersion
    self.headers = headers
  }
}

extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the header fields, those that carry secrets hidden; nothing of the URL's query.
  public var description: String { "\(statusCode) \(headers)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["statusCode": statusCode, "headers": headers])
  }
}
