import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request as a text may tell it: its method and where it went, without anything secret.
///
/// User info, query and fragment of the URL are left out; headers and body are not part of it.
public struct RequestSummary: Sendable, Hashable, CustomStringConvertible {
  public let method: HTTPMethod
  /// Scheme, host, port and path.
  public let location: String

  public init(method: HTTPMethod, url: URL?) {
    self.method = method
    location = url.map(Self.location) ?? "(no URL)"
  }

  /// - Parameter request: The request; GET where it names no method.
  public init(_ request: URLRequest) {
    self.init(method: HTTPMethod(request.httpMethod ?? "GET"), url: request.url)
  }

  public var description: String { "\(method) \(location)" }

  private static func location(of url: URL) -> String {
    let text = url.absoluteString
    let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
    var location = text[..<end]
    if let start = location.range(of: "://")?.upperBound {
      let authority = location[start...].prefix { $0 != "/" }
      if let at = authority.lastIndex(of: "@") {
        location.removeSubrange(start...at)
      }
    }
    return String(location)
  }
}
