import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A mask that replaces secrets with placeholders, equal secrets with the same one.
///
/// It processes exchanges twice: first it finds secrets by their names, then in other places by
/// their values (``SecretValueMask``).
final class SecretMask {
  /// The placeholders, in the order of their numbers.
  private(set) var placeholders: [String] = []

  private let names: RecordedNames
  private let standIn: (RecordedSecret) -> String?
  /// Whether a text occurs in the exchanges.
  private let isTaken: (String) -> Bool
  private var placeholderBySecret: [String: String] = [:]
  private var lastNumber = 0

  init(
    _ names: RecordedNames, standIn: @escaping (RecordedSecret) -> String?,
    isTaken: @escaping (String) -> Bool
  ) {
    self.names = names
    self.standIn = standIn
    self.isTaken = isTaken
  }

  /// The mask of the secrets that are known so far, in other places.
  var byValue: SecretValueMask { SecretValueMask(placeholderBySecret) }

  /// Returns the placeholder for a secret; an empty secret has an empty one.
  private func placeholder(for secret: String, of name: String) -> String {
    guard !secret.isEmpty else { return "" }
    if let known = placeholderBySecret[secret] { return known }
    let placeholder = newPlaceholder(for: secret, of: name)
    placeholderBySecret[secret] = placeholder
    if placeholder != secret { placeholders.append(placeholder) }
    return placeholder
  }

  private func newPlaceholder(for secret: String, of name: String) -> String {
    lastNumber += 1
    let own = standIn(RecordedSecret(name: name, value: secret, number: lastNumber))
    if let own, !own.isEmpty { return own }
    let number = lastNumber
    func text(_ number: Int) -> String {
      SecretPlaceholder.text(number, inPlaceOf: secret, claims: shownClaims)
    }
    // What occurs elsewhere in the exchanges would be taken for the secret.
    return (0..<Self.mostAttempts).lazy.map { text(number + $0) }
      .first { !placeholders.contains($0) && !isTaken($0) }
      ?? SecretPlaceholder.text(number, inPlaceOf: "")
  }

  private static let mostAttempts = 1_000

  /// Returns the claims of a token without secrets.
  private func shownClaims(_ claims: Data) -> Data {
    let known = placeholderBySecret
    let rules = JSONMask.Rules(meaning: { _ in .plain }, secret: { _, _ in nil }) { known[$0] }
    let named = content(.response).json(claims) ?? claims
    return JSONMask.masked(named, by: rules) ?? named
  }

  private func content(_ place: RecordedNames.Place) -> ContentMask {
    ContentMask(
      meaning: { [names] in names.meaning(of: $0, in: place) },
      hidesNumbers: { [names] in names.hidesNumbers(under: $0) },
      replacement: { secret, name, place in
        let text = self.placeholder(for: secret, of: name)
        return place == .fields ? text.inFields : text
      })
  }

  // MARK: By name

  func maskedByName(_ request: URLRequest) -> URLRequest {
    var masked = request.comparable
    for (name, value) in (masked.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
      masked.setValue(header(name, value), forHTTPHeaderField: name)
    }
    masked.url = masked.url.map { URL(string: url($0.absoluteString)) ?? $0 }
    let type = masked.value(forHTTPHeaderField: "Content-Type")
    masked.httpBody = masked.httpBody.map { data in
      let isForm = type?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true
      let text = isForm ? String(decoding: data, as: UTF8.self) : ""
      return body(data, type: type, in: RecordedNames.Place.fields(text))
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

  private func url(_ text: String) -> String { content(.fields(text)).url(text) }

  private func header(_ name: String, _ value: String) -> String {
    switch name.lowercased() {
    case "location", "content-location", "referer": return url(value)
    case "link":
      return value.replacing(#/<([^>]*)>/#) { match -> String in
        "<\(self.url(String(match.output.1)))>"
      }
    case _ where !names.contains(name, in: .header): return content(.request).text(value)
    case "cookie":
      return value.split(separator: ";").map { cookie($0, in: name) }.joined(separator: ";")
    case "set-cookie":
      let parts = value.split(separator: ";", omittingEmptySubsequences: false)
      return ([cookie(parts.first ?? "", in: name)] + parts.dropFirst().map(String.init)).joined(
        separator: ";")
    case "authorization", "proxy-authorization":
      guard let space = value.firstIndex(of: " ") else { return placeholder(for: value, of: name) }
      let credentials = value[space...].trimmingCharacters(in: .whitespaces)
      defer { noteHalves(ofBasic: credentials, in: name) }
      return "\(value[..<space]) \(placeholder(for: credentials, of: name))"
    default: return placeholder(for: value, of: name)
    }
  }

  private func cookie(_ pair: Substring, in field: String) -> String {
    guard let equals = pair.firstIndex(of: "=") else {
      // A text without a name is a value.
      return pair.prefix { $0 == " " }
        + placeholder(for: String(pair.drop { $0 == " " }), of: field)
    }
    let name = String(pair[..<equals].drop { $0 == " " })
    let value = String(pair[pair.index(after: equals)...])
    return "\(pair[...equals])\(placeholder(for: value, of: name))"
  }

  /// Notes the user and the password, which may stand in other places in clear (RFC 7617 §2).
  private func noteHalves(ofBasic credentials: String, in field: String) {
    guard let data = Data(base64Encoded: credentials),
      let text = String(validating: data, as: UTF8.self), let colon = text.firstIndex(of: ":")
    else { return }
    _ = placeholder(for: String(text[..<colon]), of: field)
    _ = placeholder(for: String(text[text.index(after: colon)...]), of: field)
  }
}

extension String {
  /// The text as a value in a query or a form.
  var inFields: String {
    utf8.allSatisfy(\.isUnreserved)
      ? self : addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? self
  }

  /// The text inside of a string of JSON.
  var inJSON: String { String(JSONMask.quoted(self).dropFirst().dropLast()) }

  /// The text inside of XML or HTML.
  var inMarkup: String {
    [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ("\"", "&quot;")]
      .reduce(self) { $0.replacing($1.0, with: $1.1) }
  }

  fileprivate static let unreserved = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~")
}
