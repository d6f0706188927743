import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A description of the requests that a stub answers.
///
/// ```swift
/// StubRequest(.post, urlString: "https://shop.example.com/v1/orders")
///   .header("Content-Type", "application/json")
///   .jsonBody(containing: #"{"lines": [{"sku": "A-1"}]}"#)
/// ```
///
/// A request must meet all conditions. Parts without a condition may have any value.
public struct StubRequest: Sendable, CustomStringConvertible {
  /// A text such as `GET https://shop.example.com/v1/orders`.
  public let description: String

  /// The URL in the description; nil if a recording made it without its secrets.
  private let place: String?
  private let method: HTTPMethod?
  /// The whole URL in the spelling of a request; nil if only parts of the URL are compared.
  private let url: String?
  /// Read only if a request's URL has another spelling.
  private let scheme: String?
  private let host: String?
  private let path: Path
  private let query: [StubField]?
  private var conditions: [Condition] = []

  typealias Condition = @Sendable (URLRequest) -> [StubDifference]

  private enum Path: Sendable {
    case any
    case like(StubPath)
  }

  /// Creates a request for a whole URL.
  ///
  /// Scheme, host, port and path must be equal. Paths are equal if their segments are, without
  /// their percent encoding. If the URL has a query, the items must be equal, too, in any order. A
  /// URL without a query matches any query.
  ///
  /// - Parameters:
  ///   - method: The exact method.
  ///   - urlString: The absolute URL.
  public init(_ method: HTTPMethod, urlString: String) {
    description = "\(method) \(urlString)"
    place = urlString
    self.method = method
    // As Foundation encodes it: `é` as `%C3%A9`.
    let url = URL(string: urlString)?.absoluteString ?? urlString
    self.url = url
    let parts = StubURL(url)
    scheme = parts.scheme.map(String.init) ?? ""
    host = parts.host.map(String.init) ?? ""
    path = .like(StubPath(exactly: String(parts.path)))
    query = parts.query == nil ? nil : parts.queryItems
  }

  /// Creates a request from a recording.
  init(_ recorded: RecordedRequest, description: String) {
    self.description = description
    place = nil
    method = recorded.method
    url = nil
    scheme = recorded.url.scheme.map(String.init) ?? ""
    host = recorded.url.host.map(String.init) ?? ""
    path = .any
    query = nil
    conditions = [{ recorded.differences(from: $0) }]
  }

  /// Creates a request from parts of its URL.
  ///
  /// A nil part matches any value.
  ///
  /// - Parameters:
  ///   - method: The exact method.
  ///   - scheme: `https` or `http`.
  ///   - host: The host, with its port if the URL has one.
  ///   - path: The path, or a pattern of it, such as `/v1/orders/*`. `*` stands for one segment,
  ///     `**` for any number of segments. A slash in a segment is `%2F`.
  public init(
    _ method: HTTPMethod? = nil, scheme: String? = nil, host: String? = nil, path: String? = nil
  ) {
    let place = (scheme.map { $0 + "://" } ?? "") + (host ?? "") + (path ?? "")
    description = [method?.rawValue ?? "any method", place.isEmpty ? "any URL" : place]
      .joined(separator: " ")
    self.place = place
    self.method = method
    url = nil
    self.scheme = scheme?.lowercased()
    self.host = host?.lowercased()
    self.path = path.map { .like(StubPath(pattern: $0)) } ?? .any
    query = nil
  }

  /// Returns the description without secrets.
  func line(hiding redaction: Redaction) -> String {
    guard let place, !place.isEmpty else { return description }
    return description.dropLast(place.count) + redaction.text(inside: place)
  }

  /// Returns the request with one more condition.
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

  /// Returns the differences between a request and this one; empty if it matches.
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

  /// Returns a part of the stub's URL as a report shows it.
  private func shown(_ part: String) -> String {
    part.isEmpty ? "none, because the stub's URL is not absolute" : part
  }

  private func urlDifferences(_ sent: StubURL) -> [StubDifference] {
    var differences: [StubDifference] = []
    if let scheme, scheme != sent.scheme ?? "" {
      differences.append(
        StubDifference("scheme", expected: shown(scheme), sent: sent.scheme.map(String.init)))
    }
    if let host, host != sent.host ?? "" {
      differences.append(
        StubDifference("host", expected: shown(host), sent: sent.host.map(String.init), weight: 4))
    }
    switch path {
    case .any: break
    case .like(let path):
      guard !path.matches(sent.path) else { break }
      let weight = 1 + path.distance(to: sent.path)
      differences.append(
        StubDifference(
          "path", expected: path.text, sent: String(sent.path), weight: weight,
          isMarked: !path.isPattern))
    }
    if let query {
      differences += StubField.differences(
        of: "query", expected: query, sent: sent.queryItems, isExact: true)
    }
    return differences
  }
}
