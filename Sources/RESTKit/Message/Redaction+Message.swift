import Foundation

extension Redaction {
  /// The URL in a form that may be shown.
  package func text(of url: URL?) -> String {
    guard let url else { return "" }
    guard self != .none else { return url.absoluteString.prefixWithoutFragment }
    let location = RequestSummary(method: .get, url: url).location
    let text = url.absoluteString.prefixWithoutFragment
    guard let mark = text.firstIndex(of: "?") else { return location }
    return "\(location)?\(fields(String(text[text.index(after: mark)...]), mark: Self.markInURL))"
  }

  /// The header fields in a form that may be shown.
  package func fields(_ headers: some Sequence<HTTPHeaders.Element>) -> [HTTPHeaders.Element] {
    headers.map { name, value in
      if hides(header: name) { return (name, Self.mark) }
      let isLink = self != .none && HTTPHeaders.isSameName(name, "Location")
      return (name, isLink ? text(ofReference: value) : value)
    }
  }

  /// The body in a form that may be shown; nil if no part of it may.
  ///
  /// - Parameter contentEncoding: The content coding of the bytes; nil for none.
  package func body(_ data: Data, contentType: String?, contentEncoding: String? = nil) -> Data? {
    if self == .none || data.isEmpty { return data }
    // Secrets in compressed bytes cannot be found.
    guard contentEncoding == nil else { return nil }
    let type = contentType?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return Data(fields(String(decoding: data, as: UTF8.self), mark: Self.markInURL).utf8)
    }
    // A multipart body would have to be split to hide single parts.
    if type.hasPrefix("multipart/") { return nil }
    if let masked = JSONMask.masked(data, hides: hides(valueOf:)) { return masked }
    // Text that is not JSON has no names to hide by. Text that claims to be JSON may be a cut one.
    return self == .byName && !type.contains("json") ? data : nil
  }

  /// `name=value&…` with the hidden values replaced.
  private func fields(_ text: String, mark: String) -> String {
    let fields = text.split(separator: "&", omittingEmptySubsequences: false).map { field in
      guard let equals = field.firstIndex(of: "=") else {
        // A name without a value may itself be a value.
        return field.isEmpty || self != .strict ? String(field) : mark
      }
      let name = String(field[..<equals])
      return hides(valueOf: name.removingPercentEncoding ?? name) ? "\(name)=\(mark)" : "\(field)"
    }
    return fields.joined(separator: "&")
  }

  /// A `Location`, which may be relative, in a form that may be shown.
  private func text(ofReference reference: String) -> String {
    URL(string: reference).map(text(of:)) ?? Self.mark
  }
}

extension String {
  /// The text before the first `#`.
  fileprivate var prefixWithoutFragment: String { String(prefix { $0 != "#" }) }
}
