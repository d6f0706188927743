import Foundation

extension Redaction {
  /// The URL as it may be shown.
  package func text(of url: URL?) -> String {
    guard let url else { return "" }
    guard self != .none else { return url.absoluteString.prefixWithoutFragment }
    let location = RequestSummary(method: .get, url: url).location
    let text = url.absoluteString.prefixWithoutFragment
    guard let mark = text.firstIndex(of: "?") else { return location }
    return "\(location)?\(fields(String(text[text.index(after: mark)...]), mark: Self.markInURL))"
  }

  /// The header fields as they may be shown.
  package func fields(_ headers: some Sequence<HTTPHeaders.Element>) -> [HTTPHeaders.Element] {
    headers.map { name, value in
      if hides(header: name) { return (name, Self.mark) }
      guard self != .none else { return (name, value) }
      if HTTPHeaders.isSameName(name, "Location") { return (name, text(ofReference: value)) }
      return (name, HTTPHeaders.isSameName(name, "Link") ? text(ofLinks: value) : value)
    }
  }

  /// A body as it may be shown; nil where nothing of it may.
  ///
  /// - Parameter contentEncoding: What the bytes are encoded with; nil for nothing.
  package func body(_ data: Data, contentType: String?, contentEncoding: String? = nil) -> Data? {
    if self == .none || data.isEmpty { return data }
    // What is compressed cannot be looked through for secrets.
    guard contentEncoding == nil else { return nil }
    let type = contentType?.lowercased() ?? ""
    if type.hasPrefix("application/x-www-form-urlencoded") {
      return Data(fields(String(decoding: data, as: UTF8.self), mark: Self.markInURL).utf8)
    }
    // Its parts would have to be taken apart to hide some of them.
    if type.hasPrefix("multipart/") { return nil }
    if let masked = JSONMask.masked(data, hides: hides(valueOf:)) { return masked }
    // What is not JSON has no names to go by; text that says it is JSON may be half of it.
    return self == .byName && !type.contains("json") ? data : nil
  }

  /// `name=value&…` with the hidden values replaced.
  private func fields(_ text: String, mark: String) -> String {
    let fields = text.split(separator: "&", omittingEmptySubsequences: false).map { field in
      guard let equals = field.firstIndex(of: "=") else {
        // A name alone may be a value just as well.
        return field.isEmpty || self != .strict ? String(field) : mark
      }
      let name = String(field[..<equals])
      return hides(valueOf: name.removingPercentEncoding ?? name) ? "\(name)=\(mark)" : "\(field)"
    }
    return fields.joined(separator: "&")
  }

  /// A line of `Link`, each target between its angle brackets as it may be shown.
  private func text(ofLinks line: String) -> String {
    var shown = ""
    var rest = Substring(line).utf8
    while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
      let target = rest[start...].dropFirst().prefix { $0 != UInt8(ascii: ">") }
      let reference = String(Substring(target))
      shown += String(Substring(rest[...start]))
      if !reference.isEmpty {
        shown += URL(string: reference).map(text(of:)) ?? Self.markInURL
      }
      rest = rest[target.endIndex...]
    }
    return shown + String(Substring(rest))
  }

  /// A `Location`, which may be relative.
  private func text(ofReference reference: String) -> String {
    URL(string: reference).map(text(of:)) ?? Self.mark
  }
}

extension String {
  /// The text before the first `#`.
  fileprivate var prefixWithoutFragment: String { String(prefix { $0 != "#" }) }
}
