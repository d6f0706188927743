import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension StubRequest {
  /// Requires a JSON body with this value at a path.
  ///
  /// ```swift
  /// StubRequest(.post, path: "/v1/orders").jsonBody(at: "$.lines[*].sku", #""A-1""#)
  /// ```
  ///
  /// If the path selects several values, one must be equal. The report shows each of them.
  ///
  /// - Parameters:
  ///   - path: A path of JSONPath (RFC 9535): `$`, then members as `.name` or `['name']`, elements
  ///     as `[0]`, or as `[-1]` from the end, and `.*` or `[*]` for each of them. Quoted names have the
  ///     escapes of JSON. Another text is a difference that says so.
  ///   - json: The JSON text of the value, compared as in ``jsonBody(_:)``.
  public func jsonBody(at path: String, _ json: String) -> StubRequest {
    let expected = StubJSON(Data(json.utf8))
    return adding(at: path, expected == nil ? "JSON, but \(json) is none" : json) { value in
      expected == value
    }
  }

  /// Requires a JSON body with a text at a path that an expression matches as a whole.
  ///
  /// - Parameters:
  ///   - path: A path, as of ``jsonBody(at:_:)``. If it selects several values, one must match.
  ///   - expression: A regular expression, as of ``path(matching:)``.
  public func jsonBody(at path: String, matching expression: String) -> StubRequest {
    let pattern = StubPattern.expression(expression)
    return adding(at: path, pattern.description, isExpression: true) { value in
      if case .string(let text) = value { pattern.matches(text) } else { false }
    }
  }

  /// Requires a JSON body with any value at a path, also null.
  ///
  /// - Parameter path: A path, as of ``jsonBody(at:_:)``.
  public func jsonBody(at path: String) -> StubRequest {
    adding(at: path, "any value") { _ in true }
  }

  private func adding(
    at text: String, _ expected: String, isExpression: Bool = false,
    _ isWanted: @escaping @Sendable (StubJSON) -> Bool
  ) -> StubRequest {
    let path = StubJSONPath(text)
    return adding { request in
      guard let path else {
        return [
          StubDifference("body", expected: "a JSON path, but \(text) is none", sent: "…")
        ]
      }
      guard let sent = StubJSON(request.httpBody ?? Data()) else {
        return [StubDifference(notJSON: request.httpBody)]
      }
      let values = path.values(in: sent)
      guard !values.isEmpty else {
        return [
          StubDifference(
            "body \(path.text)", expected: expected, sent: nil, isExpression: isExpression)
        ]
      }
      guard !values.contains(where: { isWanted($0.value) }) else { return [] }
      // Together they are one difference.
      return values.enumerated().map { index, selected in
        StubDifference(
          "body \(selected.path)", expected: expected, sent: selected.value.text,
          weight: index == 0 ? 1 : 0, isMarked: false, isExpression: isExpression)
      }
    }
  }
}
