import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A mask that replaces secrets with placeholders, equal secrets with the same one.
///
/// It processes exchanges twice: first it finds secrets by their names, then in other places by their
/// values.
final class SecretMask {
  let names: RecordedNames
  private var placeholders: [String: String] = [:]

  init(_ names: RecordedNames) {
    self.names = names
  }

  /// Returns the placeholder for a secret; an empty secret has an empty one.
  func placeholder(for secret: String) -> String {
    guard !secret.isEmpty else { return "" }
    if let known = placeholders[secret] { return known }
    let placeholder = SecretPlaceholder.text(placeholders.count + 1)
    placeholders[secret] = placeholder
    return placeholder
  }

  // MARK: By name

  func maskedByName(_ request: URLRequest) -> URLRequest {
    var masked = request.withFixedBoundary
    for (name, value) in (masked.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      masked.setValue(header(name, value), forHTTPHeaderField: name)
    }
    if let url = masked.url { masked.url = URL(string: self.url(url.absoluteString)) ?? url }
    masked.httpBody = masked.httpBody.map {
      body($0, type: masked.value(forHTTPHeaderField: "Content-Type"), in: .request)
    }
    return masked
  }

  func maskedByName(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(headers.map { (name: $0.name, value: header($0.name, $0.value)) })
  }

  func header(_ name: String, _ value: String) -> String {
    switch name.lowercased() {
    case "location", "content-location", "referer": return url(value)
    case "link":
      return value.replacing(#/<([^>]*)>/#) { match -> String in
        "<\(url(String(match.output.1)))>"
      }
    case _ where !names.contains(name, in: .header): return value
    case "cookie":
      return value.split(separator: ";").map { cookie($0) }.joined(separator: ";")
    case "set-cookie":
      let parts = value.split(separator: ";", omittingEmptySubsequences: false)
      return ([cookie(parts.first ?? "")] + parts.dropFirst().map(String.init)).joined(
        separator: ";")
    case "authorization", "proxy-authorization":
      guard let space = value.firstIndex(of: " ") else { return placeholder(for: value) }
      let credentials = value[space...].trimmingCharacters(in: .whitespaces)
      return "\(value[..<space]) \(placeholder(for: credentials))"
    default: return placeholder(for: value)
    }
  }

  private func cookie(_ pair: Substring) -> String {
    guard let equals = pair.firstIndex(of: "=") else { return "\(pair)" }
    return "\(pair[...equals])\(placeholder(for: String(pair[pair.index(after: equals)...])))"
  }

  /// Returns a URL without user info, and without secrets in its query and fragment.
  func url(_ text: String) -> String {
    let head = text.prefix { $0 != "?" && $0 != "#" }
    var place = String(head)
    if let authority = head.range(of: "//")?.upperBound {
      let user = head[authority...].prefix { $0 != "/" }.lastIndex(of: "@")
      if let user { place = String(head[..<authority]) + head[head.index(after: user)...] }
    }
    let rest = text[head.endIndex...].split(separator: "#", omittingEmptySubsequences: false)
    let parts = rest.enumerated().map { index, part in
      let mark = part.hasPrefix("?") ? "?" : ""
      return (index > 0 ? "#" : "") + mark + fields(String(part.dropFirst(mark.count)))
    }
    return place + parts.joined()
  }

  /// Returns `name=value&…` without secrets.
  func fields(_ text: String) -> String {
    text.split(separator: "&", omittingEmptySubsequences: false).map { field in
      guard let equals = field.firstIndex(of: "=") else { return "\(field)" }
      let name = StubField.decoded(field[..<equals])
      guard names.contains(name, in: .request) else { return "\(field)" }
      let value = StubField.decoded(field[field.index(after: equals)...])
      return "\(field[...equals])\(placeholder(for: value))"
    }
    .joined(separator: "&")
  }

  // MARK: By value

  /// Returns a text without the secrets that are known so far.
  func maskedByValue(_ text: String) -> String {
    occurrences.reduce(text) { text, occurrence in
      text.contains(occurrence.secret)
        ? text.replacing(occurrence.secret, with: occurrence.placeholder) : text
    }
  }

  /// Returns bytes that are not text, without the secrets that are known so far.
  func bytesMaskedByValue(_ bytes: Data) -> Data {
    occurrences.reduce(bytes) { bytes, occurrence in
      let secret = Data(occurrence.secret.utf8)
      return bytes.range(of: secret) == nil
        ? bytes : bytes.replacing(secret, with: Data(occurrence.placeholder.utf8))
    }
  }

  /// The possible spellings of known secrets, the longest first.
  ///
  /// A short secret is left out, because it is too likely to be a part of another text.
  private lazy var occurrences: [(secret: String, placeholder: String)] = {
    let spellings = placeholders.filter { $0.key.count >= 8 }.flatMap { secret, placeholder in
      Set([
        secret, secret.replacing("/", with: #"\/"#),
        secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret,
        secret.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? secret,
      ]).map { (secret: $0, placeholder: placeholder) }
    }
    return spellings.sorted { ($0.secret.count, $1.secret) > ($1.secret.count, $0.secret) }
  }()

  private static let unreserved = CharacterSet.alphanumerics.union(
    CharacterSet(charactersIn: "-._~"))
}

/// The placeholder of a secret in a recording, such as `recorded-secret-1`.
enum SecretPlaceholder {
  private static let prefix = "recorded-secret-"

  static func text(_ number: Int) -> String { "\(prefix)\(number)" }

  /// Returns bytes as a text with a character for each byte, or nil if they contain no placeholder.
  static func text(of bytes: Data) -> String? {
    guard bytes.range(of: Data(prefix.utf8)) != nil else { return nil }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// Returns the placeholders in a text, in order.
  static func all(in text: String) -> [Substring] {
    text.matches(of: pattern).map(\.output)
  }

  /// Returns the parts of a text between the placeholders that match any value.
  static func literals(of text: String, free: Set<String>) -> [Substring] {
    var literals: [Substring] = []
    var start = text.startIndex
    for match in text.matches(of: pattern) where free.contains(String(match.output)) {
      literals.append(text[start..<match.range.lowerBound])
      start = match.range.upperBound
    }
    return literals + [text[start...]]
  }

  // A regex is not Sendable, so it is made at each use.
  private static var pattern: Regex<Substring> { /recorded-secret-[0-9]+/ }
}
