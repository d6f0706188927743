import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension ExchangeBeginning {
  /// The exchange as attributes of OpenTelemetry's conventions for HTTP clients, without secrets.
  ///
  /// `http.request.method` is `_OTHER` for a method that is not in RFC 9110 or RFC 5789.
  /// `http.request.method_original` then has the method. `url.full` has no user info and no fragment,
  /// and `REDACTED` instead of each value of the query.
  public var attributes: [String: CallAttribute] {
    var attributes = CallEvent.attributes(of: RequestSummary(request))
    if let method = attributes["http.request.method"], !Self.isKnown(method) {
      attributes["http.request.method"] = .string("_OTHER")
      attributes["http.request.method_original"] = method
    }
    attributes["url.full"] = .string(Redaction.strict.text(of: request.url))
    attributes["url.template"] = urlTemplate.map(CallAttribute.string)
    attributes["http.request.resend_count"] = resendCount > 0 ? .integer(resendCount) : nil
    return attributes
  }

  private static func isKnown(_ method: CallAttribute) -> Bool {
    guard case .string(let name) = method else { return false }
    return knownMethods.contains(name)
  }

  private static let knownMethods: Set = [
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
  ]
}

extension ExchangeEnd {
  /// The end as attributes of OpenTelemetry's conventions for HTTP clients.
  public var attributes: [String: CallAttribute] {
    var attributes = CallEvent.attributes(of: metrics)
    attributes["http.response.status_code"] = status.map(CallAttribute.integer)
    attributes["error.type"] = errorType.map(CallAttribute.string)
    return attributes
  }
}
