import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A mask that replaces secrets with placeholders, equal secrets with the same one.
///
/// It processes exchanges twice: first it finds secrets by their names, then in other places by
/// their values.
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
    let placeholder = SecretPlaceholder.text(placeholders.count + 1, inPlaceOf: secret)
    placeholders[secret] = placeholder
    return placeholder
  }

  private func content(_ place: RecordedNames.Place) -> ContentMask {
    ContentMask(
      meaning: { [names] in names.meaning(of: $0, in: place) },
      hidesNumbers: { [names] in names.hidesNumbers(under: $0) },
      replacement: { secret, _ in self.placeholder(for: secret) })
  }

  // MARK: By name

  func maskedByName(_ request: URLRequest) -> URLRequest {
    var masked = request.comparable
    for (name, value) in (masked.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      masked.setValue(header(name, value), forHTTPHeaderField: name)
    }
    if let url = masked.url {
      masked.url = URL(string: content(.request).url(url.absoluteString)) ?? url
    }
    masked.httpBody = masked.httpBody.map {
      body($0, type: masked.value(forHTTPHeaderField: "Content-Type"), in: .request)
    }
    return masked
  }

  func maskedByName(_ headers: HTTPHeaders) -> HTTPHeaders {
    HTTPHeaders(headers.map { (name: $0.name, value: header($0.name, $0.value)) })
  }

  /// Returns a body without the secrets that have names; a body that is not text stays unchanged.
  func body(_ data: Data, type: String?, in place: RecordedNames.Place) -> Data {
    content(place).body(data, type: type)
  }

  func header(_ name: String, _ value: String) -> String {
    switch name.lowercased() {
    case "location", "content-location", "referer": return content(.request).url(value)
    case "link":
      return value.replacing(#/<([^>]*)>/#) { match -> String in
        "<\(self.content(.request).url(String(match.output.1)))>"
      }
    case _ where !names.contains(name, in: .header): return content(.request).text(value)
    case "cookie":
      return value.split(separator: ";").map { cookie($0) }.joined(separator: ";")
    case "set-cookie":
      let parts = value.split(separator: ";", omittingEmptySubsequences: false)
      return ([cookie(parts.first ?? "")] + parts.dropFirst().map(String.init)).joined(
        separator: ";")
    case "authorization", "proxy-authorization":
      guard let space = value.firstIndex(of: " ") else { return placeholder(for: value) }
      let credentials = value[space...].trimmingCharacters(in: .whitespaces)
      defer { noteHalves(ofBasic: credentials) }
      return "\(value[..<space]) \(placeholder(for: credentials))"
    default: return placeholder(for: value)
    }
  }

  private func cookie(_ pair: Substring) -> String {
    guard let equals = pair.firstIndex(of: "=") else {
      // A text without a name is a value.
      return pair.prefix { $0 == " " } + placeholder(for: String(pair.drop { $0 == " " }))
    }
    return "\(pair[...equals])\(placeholder(for: String(pair[pair.index(after: equals)...])))"
  }

  /// Notes the user and the password, which may stand in other places in clear (RFC 7617 §2).
  private func noteHalves(ofBasic credentials: String) {
    guard let data = Data(base64Encoded: credentials),
      let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
    else { return }
    _ = placeholder(for: String(text[..<colon]))
    _ = placeholder(for: String(text[text.index(after: colon)...]))
  }

  // MARK: By value

  /// Returns a text without the secrets that are known so far.
  func maskedByValue(_ text: String) -> String {
    occurrences.reduce(text) { text, occurrence in
      text.contains(occurrence.secret)
        ? text.replacing(occurrence.secret, with: occurrence.placeholder) : text
    }
  }

  /// Returns a URL without the secrets that are known so far.
  ///
  /// Its host, the names in its query, and a word of its path that happens to be a secret, too,
  /// stay.
  func urlMaskedByValue(_ text: String) -> String {
    let start = text.firstRange(of: "://")?.upperBound ?? text.startIndex
    let path = text[start...].firstIndex { "/?#".contains($0) } ?? text.endIndex
    let query = text[path...].firstIndex { "?#".contains($0) } ?? text.endIndex
    let words = text[path..<query].split(separator: "/", omittingEmptySubsequences: false)
    let shown = words.map { Self.isWord($0) ? String($0) : maskedByValue(String($0)) }
    return text[..<path] + shown.joined(separator: "/")
      + fieldsMaskedByValue(String(text[query...]))
  }

  private func fieldsMaskedByValue(_ text: String) -> String {
    text.split(separator: "&", omittingEmptySubsequences: false).map { field in
      guard let equals = field.firstIndex(of: "=") else { return maskedByValue(String(field)) }
      return field[...equals] + maskedByValue(String(field[field.index(after: equals)...]))
    }
    .joined(separator: "&")
  }

  private static func isWord(_ text: Substring) -> Bool {
    text.utf8.allSatisfy { $0.isASCIILetter || "-_.".utf8.contains($0) }
  }

  /// Returns a body without the secrets that are known so far; the names in it stay.
  func maskedByValue(_ body: Data, type: String?) -> Data {
    guard let text = String(validating: body, as: UTF8.self) else {
      return bytesMaskedByValue(body)
    }
    if type?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
      return Data(fieldsMaskedByValue(text).utf8)
    }
    let rules = JSONMask.Rules(meaning: { _ in .plain }, secret: { _, _ in nil }) { text in
      let masked = self.maskedByValue(text)
      return masked == text ? nil : masked
    }
    return JSONMask.masked(body, by: rules) ?? Data(maskedByValue(text).utf8)
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
        secret, secret.replacing("/", with: #"\/"#), Self.inJSON(secret),
        Self.inJSON(secret).replacing("/", with: #"\/"#), Self.inMarkup(secret),
        Data(secret.utf8).base64EncodedString(), secret.replacing(" ", with: "+"),
        secret.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? secret,
        secret.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? secret,
      ]).map { (secret: $0, placeholder: placeholder) }
    }
    return spellings.sorted { ($0.secret.count, $1.secret) > ($1.secret.count, $0.secret) }
  }()

  private static func inJSON(_ text: String) -> String {
    String(JSONMask.quoted(text).dropFirst().dropLast())
  }

  private static func inMarkup(_ text: String) -> String {
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
      .reduce(text) { $0.replacing($1.0, with: $1.1) }
  }

  private static let unreserved = CharacterSet.alphanumerics.union(
    CharacterSet(charactersIn: "-._~"))
}
