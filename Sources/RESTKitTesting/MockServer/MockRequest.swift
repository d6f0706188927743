import Foundation

/// A request that a ``MockServer`` has read.
public struct MockRequest: Sendable {
  /// The method as sent; methods are case-sensitive.
  public let method: String

  /// The request target as sent, such as `/users?page=2`, or an absolute URL from a client of a
  /// proxy.
  public let target: String

  /// The header fields in their order, with names as spelled and duplicates.
  public let headers: [(name: String, value: String)]

  /// The body without chunked framing; empty if there is none.
  ///
  /// A handler gets the whole body. In ``MockServer/requests`` it is what the server has kept of
  /// it, from its beginning.
  public let body: Data

  /// The number of bytes of the body that have arrived.
  ///
  /// It is more than ``body`` has if the server did not keep the whole body.
  public let bodyLength: Int

  /// The id of its connection, 0 for the first accepted connection.
  public let connectionID: Int

  /// Its index in ``MockServer/requests`` when it arrived.
  public let index: Int

  /// Creates a request, to try a handler without a server.
  public init(
    method: String, target: String, headers: [(name: String, value: String)] = [],
    body: Data = Data(), connectionID: Int = 0, index: Int = 0
  ) {
    self.init(
      method: method, target: target, headers: headers, body: body, bodyLength: body.count,
      connectionID: connectionID, index: index)
  }

  private init(
    method: String, target: String, headers: [(name: String, value: String)], body: Data,
    bodyLength: Int, connectionID: Int, index: Int
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.bodyLength = bodyLength
    self.connectionID = connectionID
    self.index = index
  }

  /// Returns the request with at most this many bytes of its body.
  func keepingBody(_ limit: Int) -> MockRequest {
    guard body.count > limit else { return self }
    return MockRequest(
      method: method, target: target, headers: headers, body: Data(body.prefix(limit)),
      bodyLength: bodyLength, connectionID: connectionID, index: index)
  }

  /// The path of the target, percent-encoded as sent, without the query.
  public var path: String {
    let path = originTarget.prefix { $0 != "?" }
    return path.isEmpty ? "/" : String(path)
  }

  /// The query of the target, after the first `?`, percent-encoded as sent; nil without a `?`.
  public var query: String? {
    originTarget.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// Returns the first value of a header field; the name is compared without regard to case.
  public func value(for name: String) -> String? {
    headers.first { MockFieldSyntax.isSame($0.name, name) }?.value
  }

  /// Returns all values of a header field, in their order; the name is compared without regard to
  /// case.
  public func values(for name: String) -> [String] {
    headers.filter { MockFieldSyntax.isSame($0.name, name) }.map(\.value)
  }

  /// The target from its path on, without the scheme and authority of an absolute URL.
  private var originTarget: Substring {
    guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else {
      return Substring(target)
    }
    let authority = target[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    return target[authority.endIndex...]
  }
}
