import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Each adds a condition; a request must meet them all.
extension StubRequest {
  /// Asks for a header field with this value; the case of its name does not matter.
  public func header(_ name: String, _ value: String) -> StubRequest {
    adding { request in
      let sent = request.value(forHTTPHeaderField: name)
      return sent == value
        ? [] : [StubDifference("header \(name)", expected: value, sent: sent)]
    }
  }

  /// Asks that there is no header field of this name.
  public func withoutHeader(_ name: String) -> StubRequest {
    adding { request in
      let sent = request.value(forHTTPHeaderField: name)
      return sent == nil
        ? [] : [StubDifference("header \(name)", expected: nil, sent: sent)]
    }
  }

  /// Asks for a query with just these items, in any order.
  public func query(_ items: KeyValuePairs<String, String>) -> StubRequest {
    query(items, isExact: true)
  }

  /// Asks for a query with these items among others.
  public func query(containing items: KeyValuePairs<String, String>) -> StubRequest {
    query(items, isExact: false)
  }

  /// Asks for just these bytes.
  public func body(_ data: Data) -> StubRequest {
    adding { request in
      let sent = request.httpBody ?? Data()
      return sent == data ? [] : [StubDifference("body", data: data, sent: sent)]
    }
  }

  /// Asks for a JSON body that means the same: members in any order, numbers by their value.
  public func jsonBody(_ json: String) -> StubRequest {
    jsonBody(json, isPartial: false)
  }

  /// Asks for a JSON body with these members among others, in each object; arrays have as many
  /// elements.
  public func jsonBody(containing json: String) -> StubRequest {
    jsonBody(json, isPartial: true)
  }

  /// Asks for an `application/x-www-form-urlencoded` body with just these fields, in any order.
  public func formBody(_ fields: KeyValuePairs<String, String>) -> StubRequest {
    formBody(fields, isExact: true)
  }

  /// Asks for an `application/x-www-form-urlencoded` body with these fields among others.
  public func formBody(containing fields: KeyValuePairs<String, String>) -> StubRequest {
    formBody(fields, isExact: false)
  }

  /// Asks for a `multipart/form-data` body (RFC 7578) with these parts, in this order.
  public func multipartBody(_ parts: StubPart...) -> StubRequest {
    adding { request in
      let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
      guard let sent = StubPart.parts(of: request.httpBody ?? Data(), contentType: type) else {
        return [
          StubDifference(
            "body", expected: "\(parts.count) parts", sent: "not multipart, or without a boundary")
        ]
      }
      return StubPart.differences(of: parts, to: sent)
    }
  }

  /// Asks for anything.
  ///
  /// - Parameters:
  ///   - description: What is asked for, as a report tells it: "is signed".
  ///   - predicate: Whether it is so. May be called several times for a request, on the thread that
  ///     sends it.
  public func matching(
    _ description: String, _ predicate: @escaping @Sendable (URLRequest) -> Bool
  ) -> StubRequest {
    adding { request in
      predicate(request) ? [] : [StubDifference(description, expected: "true", sent: "false")]
    }
  }

  private func query(_ items: KeyValuePairs<String, String>, isExact: Bool) -> StubRequest {
    let expected = items.map { StubField(name: $0.key, value: $0.value) }
    return adding { request in
      StubField.differences(
        of: "query", expected: expected,
        sent: StubURL(of: request).queryItems, isExact: isExact)
    }
  }

  private func formBody(_ fields: KeyValuePairs<String, String>, isExact: Bool) -> StubRequest {
    let expected = fields.map { StubField(name: $0.key, value: $0.value) }
    return adding { request in
      StubField.differences(
        of: "form", expected: expected, sent: StubField.form(request.httpBody ?? Data()),
        isExact: isExact)
    }
  }

  private func jsonBody(_ json: String, isPartial: Bool) -> StubRequest {
    let expected = StubJSON(Data(json.utf8))
    return adding { request in
      guard let expected else {
        return [
          StubDifference(
            "body", expected: "JSON, which the stub's is not", sent: "…", isText: false)
        ]
      }
      guard let sent = StubJSON(request.httpBody ?? Data()) else {
        let count = request.httpBody?.count ?? 0
        return [
          StubDifference(
            "body", expected: "JSON", sent: "\(count) bytes that are not JSON", isText: false)
        ]
      }
      return expected.differences(to: sent, isPartial: isPartial)
    }
  }
}
