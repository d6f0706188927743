import Foundation
import HTTPTypes
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

extension URLRequest {
  /// Creates a request with the method, the target and the header fields of another one.
  ///
  /// A `URLRequest` has one value for each name. Lines of one name are joined in their order: those
  /// of `Cookie` with `"; "` (RFC 9113 §8.2.3), those of other fields with `", "` (RFC 9110 §5.3).
  /// Two lines of a field that is not a list are refused. A `Host` that is equal to the authority
  /// is left out, since the transport sets it.
  ///
  /// - Throws: ``HTTPTypesError`` if a URL or a `URLRequest` cannot express the request: a CONNECT,
  ///   a missing scheme, authority or path, an authority with user info, a path that is not the
  ///   path and query of a URL, a method that `URLRequest` changes, or two lines of a field that is
  ///   not a list.
  public init(_ request: HTTPRequest) throws(HTTPTypesError) {
    self.init(url: try request.checkedURL())
    httpMethod = request.method.rawValue
    guard httpMethod == request.method.rawValue else {
      throw HTTPTypesError(
        .method, "is changed by URLRequest to \(httpMethod ?? "GET")",
        remedy: "Methods are case-sensitive: write \(httpMethod ?? "GET") if you mean that method.")
    }
    allHTTPHeaderFields = try request.joinedFields()
  }
}

extension HTTPRequest {
  fileprivate func checkedURL() throws(HTTPTypesError) -> URL {
    guard extendedConnectProtocol == nil else {
      throw HTTPTypesError(
        .extendedConnectProtocol, "cannot be part of a URLRequest",
        remedy: "Open WebSockets with another client.")
    }
    guard method != .connect else {
      throw HTTPTypesError(
        .method, "is CONNECT, which has no path", remedy: "Configure the proxy in the transport.")
    }
    guard let scheme, ["http", "https"].contains(scheme.lowercased()) else {
      throw HTTPTypesError(.scheme, "is not http or https", remedy: "Set one of them.")
    }
    let authority = try checkedAuthority()
    let path = try checkedPath()
    let text = "\(scheme)://\(authority)\(path)"
    guard let url = URL(string: text, encodingInvalidCharacters: false),
      url.host()?.isEmpty == false,
      url.absoluteString == text
    else {
      throw HTTPTypesError(
        .url, "cannot be formed from the authority and the path",
        remedy: "Write host and port, percent-encode the path, and give a number as the port.")
    }
    return url
  }

  private func checkedAuthority() throws(HTTPTypesError) -> String {
    guard let authority, !authority.isEmpty else {
      throw HTTPTypesError(.authority, "is missing", remedy: "Set a host, and a port if needed.")
    }
    guard !authority.contains("@") else {
      throw HTTPTypesError(
        .authority, "has user info", remedy: "Pass credentials in a header field.")
    }
    guard authority.utf8.allSatisfy(Self.isURLByte), !authority.contains(where: "/?#".contains)
    else {
      throw HTTPTypesError(
        .authority, "is not a host with an optional port",
        remedy: "Put the rest into the path, and write the host in ASCII.")
    }
    return authority
  }

  private func checkedPath() throws(HTTPTypesError) -> String {
    guard let path, path.hasPrefix("/") else {
      throw HTTPTypesError(
        .path, path == "*" ? "is *, which is not part of a URL" : "does not begin with a slash",
        remedy: "Set the path and the query of a URL, beginning with a slash.")
    }
    guard !path.contains("#") else {
      throw HTTPTypesError(
        .path, "has a fragment", remedy: "Leave it out: a fragment is never sent.")
    }
    guard path.utf8.allSatisfy(Self.isURLByte) else {
      throw HTTPTypesError(
        .path, "has a blank, a control or a non-ASCII character", remedy: "Percent-encode it.")
    }
    return path
  }

  private static func isURLByte(_ byte: UInt8) -> Bool {
    byte > 0x20 && byte < 0x7F && byte != UInt8(ascii: "\\")
  }

  // MARK: Fields

  fileprivate func joinedFields() throws(HTTPTypesError) -> [String: String] {
    var names: [HTTPField.Name: String] = [:]
    var joined: [String: String] = [:]
    for field in headerFields {
      if field.name.canonicalName == "host" {
        try checkHost(field)
        continue
      }
      let name = names[field.name] ?? field.name.rawName
      names[field.name] = name
      guard let first = joined[name] else {
        joined[name] = field.text
        continue
      }
      guard !Self.singletons.contains(field.name) else {
        throw HTTPTypesError(
          .field(name: name), "is present more than once but is not a list",
          remedy: "Keep only one line of it.")
      }
      joined[name] = first + (field.name == .cookie ? "; " : ", ") + field.text
    }
    return joined
  }

  private func checkHost(_ field: HTTPField) throws(HTTPTypesError) {
    guard field.value.lowercased() == authority?.lowercased() else {
      throw HTTPTypesError(
        .field(name: "Host"), "differs from the authority",
        remedy: "Leave it out, and set the authority.")
    }
  }

  /// The request fields whose values are not lists (RFC 9110).
  private static let singletons: Set<HTTPField.Name> = [
    .authorization, .contentLength, .contentLocation, .contentType, .date, .from, .ifModifiedSince,
    .ifRange, .ifUnmodifiedSince, .maxForwards, .proxyAuthorization, .range, .referer, .userAgent,
  ]
}
