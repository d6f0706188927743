import Foundation

/// The head of a response: everything before its body.
public struct ResponseHead: Sendable {
  /// The URL of the response: after redirects, the last one.
  public let url: URL
  /// The status code (RFC 9110 §15).
  public let statusCode: Int
  /// The HTTP version, such as `HTTP/1.1`, or an empty text if the transport does not report it.
  public let httpVersion: String
  /// The header fields in order, with duplicates.
  public let headers: HTTPHeaders
  /// The departure of the request.
  ///
  /// It is nil for a head that no server has just sent. It is also nil if neither a session nor a
  /// cache asks for it.
  package var departure: Departure?
  /// Whether its body is not the rest of the body before it, because the content of the stream was
  /// replaced.
  package var beginsAgain = false
  /// The decoder that the API of the request has for its responses; nil for a plain one.
  package var decoder: JSONDecoder?

  public init(
    url: URL, statusCode: Int, httpVersion: String = "HTTP/1.1", headers: HTTPHeaders = [:]
  ) {
    self.url = url
    self.statusCode = statusCode
    self.httpVersion = httpVersion
    self.headers = headers
  }
}

extension ResponseHead {
  /// Returns the same head, whose texts hide the values of declared names, too.
  package func hiding(_ declared: DeclaredSecrets) -> ResponseHead {
    var head = ResponseHead(
      url: url, statusCode: statusCode, httpVersion: httpVersion, headers: headers.hiding(declared))
    (head.departure, head.beginsAgain, head.decoder) = (departure, beginsAgain, decoder)
    return head
  }
}

extension ResponseHead: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The status and the header fields, with the values of secret fields hidden and without the
  /// URL's query.
  public var description: String { "\(statusCode) \(headers)" }

  public var debugDescription: String { description }

  public var customMirror: Mirror {
    Mirror(self, children: ["statusCode": statusCode, "headers": headers])
  }
}

/// The moment at which a request left, and the credential that it carried.
///
/// The response to the request names it: what a response says about a credential concerns this one,
/// whichever is current when the response arrives.
package final class Departure: Sendable {
  /// The credential that a session put on the request; nil without one.
  package let credential: (any AnyObject & Sendable)?
  /// The time of day; nil if no cache asks for it.
  package let date: Date?

  package init(with credential: (any AnyObject & Sendable)?, at date: Date?) {
    self.credential = credential
    self.date = date
  }
}
