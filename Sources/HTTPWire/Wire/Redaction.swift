import Foundation

/// The parts of a request and its response that a text may show, such as a curl command or a HAR
/// file.
///
/// Every case but ``none`` leaves out user info. No case shows a URL's fragment, which is not sent.
public enum Redaction: Sendable, Hashable {
  /// Hides every value that could be a secret. This is the default everywhere.
  ///
  /// It shows the method, the path, the names in a query, in a form and in JSON, and the values of
  /// header fields that only describe the message, such as `Content-Type`. Other bodies are left
  /// out.
  case strict
  /// Hides values whose names suggest a secret, for recordings with test accounts.
  ///
  /// These are `Authorization`, cookies, and each header field, JSON member, form field and query
  /// item with a word such as `token`, `password`, `session` or `key` in its name. They are also
  /// found in the parts of a multipart body, in JSON and URLs that are values, in markup and in
  /// texts such as `password=…`. A secret under another name is shown.
  case byName
  /// Hides what ``byName`` does, and the values of further names, in any spelling.
  ///
  /// `RESTAPI.redaction` is this case with the names that an API declares.
  case byNames(adding: Set<String>)
  /// Hides nothing.
  case none
}

extension Redaction {
  /// The replacement for a hidden value.
  package static let mark = "<redacted>"
  /// The replacement for a hidden value in a URL, which cannot contain angle brackets.
  package static let markInURL = "REDACTED"

  /// The names whose values are hidden; nil for all names.
  var names: SecretNames? {
    switch self {
    case .byNames(let added): SecretNames(adding: added)
    case .byName: .standard
    case .strict, .none: nil
    }
  }

  /// Returns whether to hide the value of a header field.
  package func hides(header name: String) -> Bool { hides(header: name, names) }

  private func hides(header name: String, _ names: SecretNames?) -> Bool {
    switch self {
    case .strict: !Self.plainHeaders.contains(name.lowercased())
    case .byName, .byNames: names?.contains(field: name) == true
    case .none: false
    }
  }

  /// The fields that describe the message, but neither its sender nor its content.
  private static let plainHeaders: Set = [
    "accept", "accept-encoding", "accept-language", "accept-ranges", "age", "allow",
    "cache-control", "connection", "content-encoding", "content-language", "content-length",
    "content-range", "content-type", "date", "expires", "host", "last-modified", "location",
    "range", "retry-after", "server", "te", "trailer", "transfer-encoding", "user-agent", "vary",
  ]
}

extension Redaction {
  /// The header fields in a form that may be shown.
  package func fields(_ headers: some Sequence<HTTPHeaders.Element>) -> [HTTPHeaders.Element] {
    let names = names
    return headers.map { name, value in
      if hides(header: name, names) { return (name, Self.mark) }
      guard self != .none else { return (name, value) }
      if Self.referenceHeaders.contains(where: { HTTPHeaders.isSameName($0, name) }) {
        return (name, text(ofReference: value))
      }
      if HTTPHeaders.isSameName(name, "Link") { return (name, text(ofLinks: value)) }
      return (name, names.map { mask($0, depth: 0).inside(value) } ?? value)
    }
  }

  /// The URL in a form that may be shown.
  package func text(of url: URL?) -> String {
    guard let url else { return "" }
    guard self != .none else { return url.absoluteString.prefixWithoutFragment }
    let location = RequestSummary(method: .get, url: url).location
    let text = url.absoluteString.prefixWithoutFragment
    guard let mark = text.firstIndex(of: "?") else { return location }
    return "\(location)?\(fields(String(text[text.index(after: mark)...])))"
  }

  /// The fields whose value is one URL, which may have a query.
  private static let referenceHeaders = ["Location", "Content-Location", "Referer"]

  /// `name=value&…` with the hidden values replaced.
  func fields(_ text: String) -> String {
    guard self == .strict else { return mask(names ?? .standard, depth: 0).fields(text) }
    let fields = text.split(separator: "&", omittingEmptySubsequences: false).map { field in
      // A name without a value may itself be a value.
      guard let equals = field.firstIndex(of: "=") else {
        return field.isEmpty ? "" : Self.markInURL
      }
      return "\(field[...equals])\(Self.markInURL)"
    }
    return fields.joined(separator: "&")
  }

  /// The mask of a URL, which also looks into URLs and fields that are values, to a depth of four.
  private func mask(_ names: SecretNames, depth: Int) -> URLMask {
    URLMask(
      isSecret: { names.contains($0) }, replacement: { _, _ in Self.markInURL },
      inside: { value in
        guard depth < 4 else { return value }
        // The names in JSON and in markup are not read here.
        if let first = value.first, "{[<".contains(first) { return Self.markInURL }
        let inner = mask(names, depth: depth + 1)
        if URLMask.isURL(value) { return inner.url(value) }
        return URLMask.isForm(value) ? inner.fields(value) : value
      })
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
