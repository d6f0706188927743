import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The request that a stub waits for: a method and a URL.
///
/// Scheme, host, port and path must be equal, and so must the query, item by item in any order,
/// where the stub's URL has one; a stub without a query takes any.
public struct StubRequest: Sendable, CustomStringConvertible {
  public let method: HTTPMethod
  public let urlString: String

  /// - Parameters:
  ///   - method: The method, exactly.
  ///   - urlString: The absolute URL.
  public init(_ method: HTTPMethod, urlString: String) {
    self.method = method
    self.urlString = urlString
  }

  public var description: String { "\(method) \(urlString)" }

  func matches(_ request: URLRequest) -> Bool {
    guard
      method.rawValue == request.httpMethod ?? "GET",
      let expected = URLComponents(string: urlString),
      let actual = request.url.flatMap({ URLComponents(url: $0, resolvingAgainstBaseURL: true) })
    else { return false }
    return expected.scheme?.lowercased() == actual.scheme?.lowercased()
      && expected.host?.lowercased() == actual.host?.lowercased()
      && expected.port == actual.port
      && Self.path(of: expected) == Self.path(of: actual)
      && Self.matches(expected.queryItems, actual.queryItems ?? [])
  }

  private static func path(of components: URLComponents) -> String {
    components.percentEncodedPath.isEmpty ? "/" : components.percentEncodedPath
  }

  private static func matches(_ expected: [URLQueryItem]?, _ actual: [URLQueryItem]) -> Bool {
    guard let expected else { return true }
    func order(_ items: [URLQueryItem]) -> [[String]] {
      // A name alone is another item than a name with an empty value.
      items.map { [$0.name] + ($0.value.map { [$0] } ?? []) }
        .sorted { $0.lexicographicallyPrecedes($1) }
    }
    return order(expected) == order(actual)
  }
}
