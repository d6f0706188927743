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
      guard self != .none else { return (name, value) }
      if Self.referenceHeaders.contains(where: { HTTPHeaders.isSameName($0, name) }) {
        return (name, text(ofReference: value))
      }
      return (name, HTTPHeaders.isSameName(name, "Link") ? text(ofLinks: value) : value)
    }
  }

  /// The fields whose value is one URL, which may have a query.
  private static let referenceHeaders = ["Location", "Content-Location", "Referer"]

  /// `name=value&…` with the hidden values replaced.
  func fields(_ text: String, mark: String) -> String {
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

  /// A line of `Link`, with each target between angle brackets in a form that may be shown.
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

  /// A URL, which may be relative, in a form that may be shown.
  private func text(ofReference reference: String) -> String {
    URL(string: reference).map(text(of:)) ?? Self.mark
  }
}

extension String {
  /// The text before the first `#`.
  fileprivate var prefixWithoutFragment: String { String(prefix { $0 != "#" }) }
}
