import Foundation
import HTTPTypes
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension HTTPRequest {
  /// Creates the head of a request: its method, its target and its header fields.
  ///
  /// The fields are sorted by name, since a `URLRequest` has no order. The body, the timeout and
  /// the URL's fragment are left out. A fragment is never sent (RFC 9110 §7.1).
  ///
  /// - Throws: ``HTTPTypesError`` for a URL without scheme and host or with user info, for a method
  ///   or a name that is not a token, and for a field that is present in two spellings.
  public init(_ request: URLRequest) throws(HTTPTypesError) {
    guard let method = Method(request.httpMethod ?? "GET") else {
      throw HTTPTypesError(
        .method, "is not a token", remedy: "Pass a word like GET or POST (RFC 9110 §5.6.2).")
    }
    let target = try RequestTarget(request.url)
    self.init(
      method: method, scheme: target.scheme, authority: target.authority, path: target.path)
    let fields = (request.allHTTPHeaderFields ?? [:]).sorted { $0.key < $1.key }
    for (name, value) in fields {
      let field = try HTTPField(checked: name, value)
      guard !headerFields.contains(field.name) else {
        throw HTTPTypesError(
          .field(name: name), "is present in two spellings",
          remedy: "Set it with settingHeader(_:to:), which replaces both.")
      }
      headerFields.append(field)
    }
  }
}

/// The parts of a URL that an HTTP request contains (RFC 9113 §8.3.1).
private struct RequestTarget {
  let scheme: String
  let authority: String
  let path: String

  init(_ url: URL?) throws(HTTPTypesError) {
    let text = url?.absoluteString ?? ""
    guard let mark = text.firstRange(of: "://"), mark.lowerBound > text.startIndex else {
      throw HTTPTypesError(
        .url, "is not absolute", remedy: "Pass an http or https URL with a host.")
    }
    let rest = text[mark.upperBound...].prefix { $0 != "#" }
    let authority = rest.prefix { $0 != "/" && $0 != "?" }
    guard !authority.isEmpty else {
      throw HTTPTypesError(.url, "has no host", remedy: "Pass an http or https URL with a host.")
    }
    guard !authority.contains("@") else {
      throw HTTPTypesError(.url, "has user info", remedy: "Pass credentials in a header field.")
    }
    let path = rest[authority.endIndex...]
    scheme = String(text[..<mark.lowerBound])
    self.authority = String(authority)
    self.path = path.hasPrefix("/") ? String(path) : "/" + path
  }
}
