import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Each method adds a condition on a part of the request's text. A request must meet all of them.
extension StubRequest {
  // MARK: Expressions

  /// Requires that an expression matches the whole percent-encoded path.
  ///
  /// - Parameter expression: A regular expression in the syntax of Swift's `Regex`, such as
  ///   `/v1/orders/[0-9]+`. It sees Unicode scalars: a composed character is not a decomposed one.
  ///   A text that is no expression is a difference that says so. Swift tries all ways to match, so
  ///   that one such as `(a+)+b` can take longer for each further letter, without an end.
  public func path(matching expression: String) -> StubRequest {
    adding(.expression(expression), to: "path") { [String(StubURL(of: $0).path)] }
  }

  /// Requires a header field whose whole value an expression matches.
  ///
  /// - Parameters:
  ///   - name: The name, in any case.
  ///   - expression: A regular expression, as of ``path(matching:)``.
  public func header(_ name: String, matching expression: String) -> StubRequest {
    adding(.expression(expression), to: "header \(name)") { Self.header(name, of: $0) }
  }

  /// Requires a query item whose whole decoded value an expression matches.
  ///
  /// - Parameters:
  ///   - name: The decoded name. If the query has several items with it, one must match.
  ///   - expression: A regular expression, as of ``path(matching:)``.
  public func query(_ name: String, matching expression: String) -> StubRequest {
    adding(.expression(expression), to: "query \(name)") { Self.query(name, of: $0) }
  }

  /// Requires a UTF-8 body that an expression matches as a whole.
  ///
  /// - Parameter expression: A regular expression, as of ``path(matching:)``. A dot matches no line
  ///   break, unless the expression begins with `(?s)`.
  public func body(matching expression: String) -> StubRequest {
    adding(.expression(expression), to: "body") { Self.body(of: $0) }
  }

  // MARK: Containment

  /// Requires a header field whose value contains a text, byte by byte.
  ///
  /// - Parameters:
  ///   - name: The name, in any case.
  ///   - text: The text.
  public func header(_ name: String, containing text: String) -> StubRequest {
    adding(.text(text), to: "header \(name)") { Self.header(name, of: $0) }
  }

  /// Requires a query item whose decoded value contains a text, byte by byte.
  ///
  /// - Parameters:
  ///   - name: The decoded name. If the query has several items with it, one must contain the text.
  ///   - text: The text.
  public func query(_ name: String, containing text: String) -> StubRequest {
    adding(.text(text), to: "query \(name)") { Self.query(name, of: $0) }
  }

  /// Requires a body that contains a text, byte by byte.
  public func body(containing text: String) -> StubRequest {
    adding(.text(text), to: "body") { Self.body(of: $0) }
  }

  // MARK: Absence

  /// Requires that the query has no item with this name, with or without a value.
  ///
  /// - Parameter name: The decoded name.
  public func withoutQuery(_ name: String) -> StubRequest {
    adding { request in
      let sent = Self.items(name, of: request)
      guard !sent.isEmpty else { return [] }
      let values = sent.map { $0.value ?? "(no value)" }.joined(separator: ", ")
      return [StubDifference("query \(name)", expected: nil, sent: values)]
    }
  }

  // MARK: Values

  /// Returns the request with a condition that one of the values of a part must meet.
  private func adding(
    _ pattern: StubPattern, to part: String,
    of values: @escaping @Sendable (URLRequest) -> [String]
  ) -> StubRequest {
    adding { request in
      let sent = values(request)
      guard !sent.contains(where: pattern.matches) else { return [] }
      return [
        StubDifference(
          part, expected: pattern.description,
          sent: sent.isEmpty ? nil : sent.joined(separator: ", "), isMarked: false,
          isExpression: pattern.isExpression)
      ]
    }
  }

  private static func header(_ name: String, of request: URLRequest) -> [String] {
    request.value(forHTTPHeaderField: name).map { [$0] } ?? []
  }

  private static func query(_ name: String, of request: URLRequest) -> [String] {
    items(name, of: request).map { $0.value ?? "" }
  }

  /// The items of the query whose names have the same bytes.
  private static func items(_ name: String, of request: URLRequest) -> [StubField] {
    StubURL(of: request).queryItems.filter { $0.name.isExactly(name) }
  }

  private static func body(of request: URLRequest) -> [String] {
    guard let body = request.httpBody, !body.isEmpty else { return [""] }
    return [String(decoding: body, as: UTF8.self)]
  }
}
