import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

// Each method adds a condition. A request must meet all of them.
extension StubRequest {
  /// Requires a header field with this value.
  ///
  /// The name is compared without regard to case.
  public func header(_ name: String, _ value: String) -> StubRequest {
    adding { request in
      let sent = request.value(forHTTPHeaderField: name)
      return sent?.isExactly(value) == true
        ? [] : [StubDifference("header \(name)", expected: value, sent: sent)]
    }
  }

  /// Requires that the request has no header field with this name.
  public func withoutHeader(_ name: String) -> StubRequest {
    adding { request in
      let sent = request.value(forHTTPHeaderField: name)
      return sent == nil
        ? [] : [StubDifference("header \(name)", expected: nil, sent: sent)]
    }
  }

  /// Requires a query with exactly these items, in any order.
  public func query(_ items: KeyValuePairs<String, String>) -> StubRequest {
    query(items, isExact: true)
  }

  /// Requires a query with these items among others.
  public func query(containing items: KeyValuePairs<String, String>) -> StubRequest {
    query(items, isExact: false)
  }

  /// Requires exactly these bytes as the body.
  public func body(_ data: Data) -> StubRequest {
    adding { request in
      let sent = request.httpBody ?? Data()
      return sent == data ? [] : [StubDifference("body", data: data, sent: sent)]
    }
  }

  /// Requires a JSON body with the same meaning: members in any order, numbers compared by value.
  public func jsonBody(_ json: String) -> StubRequest {
    jsonBody(json, isPartial: false)
  }

  /// Requires a JSON body with these members among others, in each object.
  ///
  /// Arrays must have the same number of elements.
  public func jsonBody(containing json: String) -> StubRequest {
    jsonBody(json, isPartial: true)
  }

  /// Requires an `application/x-www-form-urlencoded` body with exactly these fields, in any order.
  public func formBody(_ fields: KeyValuePairs<String, String>) -> StubRequest {
    formBody(fields, isExact: true)
  }

  /// Requires an `application/x-www-form-urlencoded` body with these fields among others.
  public func formBody(containing fields: KeyValuePairs<String, String>) -> StubRequest {
    formBody(fields, isExact: false)
  }

  /// Requires a `multipart/form-data` body (RFC 7578) with these parts, in this order.
  public func multipartBody(_ parts: StubPart...) -> StubRequest {
    multipartBody("\(parts.count) parts") { StubPart.differences(of: parts, to: $0) }
  }

  /// Requires a `multipart/form-data` body (RFC 7578) with this part among others, at any place.
  ///
  /// If several parts have its name, one must be like it.
  public func multipartBody(containing part: StubPart) -> StubRequest {
    multipartBody("a part \(part.name)") { part.differences(toNearestOf: $0) }
  }

  private func multipartBody(
    _ expected: String, _ differences: @escaping @Sendable ([StubPart]) -> [StubDifference]
  ) -> StubRequest {
    adding { request in
      let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
      guard let sent = StubPart.parts(of: request.httpBody ?? Data(), contentType: type) else {
        return [
          StubDifference("body", expected: expected, sent: "not multipart, or without a boundary")
        ]
      }
      return differences(sent)
    }
  }

  /// Requires a condition of your own.
  ///
  /// - Parameters:
  ///   - description: The condition in a report's words, such as "is signed".
  ///   - predicate: A closure that returns whether a request meets the condition. It may run
  ///     several times for a request, on the thread that sends the request.
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
            "body", expected: "JSON, but the stub's text is not JSON", sent: "…", isText: false)
        ]
      }
      guard let sent = StubJSON(request.httpBody ?? Data()) else {
        return [StubDifference(notJSON: request.httpBody)]
      }
      return expected.differences(to: sent, isPartial: isPartial)
    }
  }
}

extension StubDifference {
  /// Creates the difference of a body that is not JSON.
  init(notJSON body: Data?) {
    self.init(
      "body", expected: "JSON", sent: "\(body?.count ?? 0) bytes that are not JSON",
      isText: false)
  }
}
