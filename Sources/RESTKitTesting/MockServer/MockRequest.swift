import Foundation

/// A request as a ``MockServer`` read it off the wire.
public struct MockRequest: Sendable {
  /// The method, as sent: methods are case-sensitive.
  public let method: String

  /// The request target, as sent: `/users?page=2`, or an absolute URL from a proxy's client.
  public let target: String

  /// The fields in the order sent, names as spelled, duplicates kept.
  public let headers: [(name: String, value: String)]

  /// The whole body, without its chunked framing; empty when there was none.
  public let body: Data

  /// The id of the connection it came on: 0 for the first that was accepted.
  public let connectionID: Int

  /// Its place in ``MockServer/requests``.
  public let index: Int

  /// Makes a request by hand, to try a handler without a server.
  public init(
    method: String, target: String, headers: [(name: String, value: String)] = [],
    body: Data = Data(), connectionID: Int = 0, index: Int = 0
  ) {
    self.method = method
    self.target = target
    self.headers = headers
    self.body = body
    self.connectionID = connectionID
    self.index = index
  }

  /// The path of the target, percent-encoded as sent, without the query.
  public var path: String {
    let path = originTarget.prefix { $0 != "?" }
    return path.isEmpty ? "/" : String(path)
  }

  /// What follows the first `?` of the target, percent-encoded as sent; nil without a `?`.
  public var query: String? {
    originTarget.firstIndex(of: "?").map { String(target[target.index(after: $0)...]) }
  }

  /// The first value of a field; the name's case does not matter.
  public func value(for name: String) -> String? {
    headers.first { MockFieldSyntax.isSame($0.name, name) }?.value
  }

  /// Every value of a field, in the order sent; the name's case does not matter.
  public func values(for name: String) -> [String] {
    headers.filter { MockFieldSyntax.isSame($0.name, name) }.map(\.value)
  }

  /// The target from its path on: an absolute-form target loses scheme and authority.
  private var originTarget: Substring {
    guard !target.hasPrefix("/"), let scheme = target.firstRange(of: "://") else {
      return Substring(target)
    }
    let authority = target[scheme.upperBound...].prefix { $0 != "/" && $0 != "?" }
    return target[authority.endIndex...]
  }
}
