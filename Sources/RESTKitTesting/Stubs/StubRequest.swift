import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The request that a stub waits for.
///
/// ```swift
/// StubRequest(.post, urlString: "https://shop.example.com/v1/orders")
///   .header("Content-Type", "application/json")
///   .jsonBody(containing: #"{"lines": [{"sku": "A-1"}]}"#)
/// ```
///
/// All that it asks for must be so; what it does not speak of may be anything.
public struct StubRequest: Sendable, CustomStringConvertible {
  /// Such as `GET https://shop.example.com/v1/orders`.
  public let description: String

  private let method: HTTPMethod?
  /// The whole URL as a request for it would spell it; nil where only parts are asked for.
  private let url: String?
  /// Only read where a request's URL is not spelled just so.
  private let scheme: String?
  private let host: String?
  private let path: Path
  private let query: [StubField]?
  private var conditions: [Condition] = []

  typealias Condition = @Sendable (URLRequest) -> [StubDifference]

  private enum Path: Sendable {
    case any
    case exactly(String)
    case pattern(StubPath)
  }

  /// A request for a whole URL.
  ///
  /// Scheme, host, port and path must be equal, and so must the query, item by item in any order,
  /// where the URL has one; without a query it takes any.
  ///
  /// - Parameters:
  ///   - method: The method, exactly.
  ///   - urlString: The absolute URL.
  public init(_ method: HTTPMethod, urlString: String) {
    description = "\(method) \(urlString)"
    self.method = method
    // As Foundation encodes it: `é` as `%C3%A9`.
    let url = URL(string: urlString)?.absoluteString ?? urlString
    self.url = url
    let parts = StubURL(url)
    scheme = parts.scheme.map(String.init) ?? ""
    host = parts.host.map(String.init) ?? ""
    path = .exactly(String(parts.path))
    query = parts.query == nil ? nil : parts.queryItems
  }

  /// A request as it was recorded.
  init(_ recorded: RecordedRequest, description: String) {
    self.description = description
    method = recorded.method
    url = nil
    scheme = recorded.url.scheme.map(String.init) ?? ""
    host = recorded.url.host.map(String.init) ?? ""
    path = .any
    query = nil
    conditions = [{ recorded.differences(from: $0) }]
  }

  /// A request by the parts of its URL; nil takes any.
  ///
  /// - Parameters:
  ///   - method: The method, exactly.
  ///   - scheme: `https` or `http`.
  ///   - host: The host, with its port if the URL has one.
  ///   - path: The path, percent-encoded, or a pattern of it: `*` stands for one segment, `**` for
  ///     any number of them. Such as `/v1/orders/*`.
  public init(
    _ method: HTTPMethod? = nil, scheme: String? = nil, host: String? = nil, path: String? = nil
  ) {
    let place = (scheme.map { $0 + "://" } ?? "") + (host ?? "") + (path ?? "")
    description = [method?.rawValue ?? "any method", place.isEmpty ? "any URL" : place]
      .joined(separator: " ")
    self.method = method
    url = nil
    self.scheme = scheme?.lowercased()
    self.host = host?.lowercased()
    self.path = path.map { .pattern(StubPath($0)) } ?? .any
    query = nil
  }

  /// Asks for one thing more.
  func adding(_ condition: @escaping Condition) -> StubRequest {
    var request = self
    request.conditions.append(condition)
    return request
  }

  func matches(_ request: URLRequest) -> Bool {
    guard method == nil || method == request.method else { return false }
    let text = request.url?.absoluteString ?? ""
    return (text == url || urlDifferences(StubURL(text)).isEmpty)
      && conditions.allSatisfy { $0(request).isEmpty }
  }

  /// In what a request is not the one that is waited for; empty where it is.
  func differences(from request: URLRequest) -> [StubDifference] {
    var differences: [StubDifference] = []
    let sent = request.method
    if let method, method != sent {
      differences.append(
        StubDifference("method", expected: method.rawValue, sent: sent.rawValue, weight: 4))
    }
    differences += urlDifferences(StubURL(of: request))
    return differences + conditions.flatMap { $0(request) }
  }

  private func urlDifferences(_ sent: StubURL) -> [StubDifference] {
    var differences: [StubDifference] = []
    if let scheme, scheme != sent.scheme ?? "" {
      differences.append(
        StubDifference("scheme", expected: scheme, sent: sent.scheme.map(String.init)))
    }
    if let host, host != sent.host ?? "" {
      differences.append(
        StubDifference("host", expected: host, sent: sent.host.map(String.init), weight: 4))
    }
    switch path {
    case .any: break
    case .exactly(let path):
      guard path != sent.path else { break }
      let weight = 1 + StubPath(path).distance(to: sent.path)
      differences.append(
        StubDifference("path", expected: path, sent: String(sent.path), weight: weight))
    case .pattern(let pattern):
      guard !pattern.matches(sent.path) else { break }
      let weight = 1 + pattern.distance(to: sent.path)
      differences.append(
        StubDifference("path", expected: pattern.text, sent: String(sent.path), weight: weight))
    }
    if let query {
      differences += StubField.differences(
        of: "query", expected: query, sent: sent.queryItems, isExact: true)
    }
    return differences
  }
}
