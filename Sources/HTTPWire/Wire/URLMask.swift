import Foundation

/// A URL, or the fields of a query or a form, with the values of secrets replaced.
struct URLMask {
  let isSecret: (String) -> Bool
  /// Returns the replacement for a secret, which it gets without escapes, and with its name.
  let replacement: (_ secret: String, _ name: String) -> String
  /// Returns the value of another name without the secrets in it.
  let inside: (String) -> String

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

  /// Returns `name=value&…` without the values of secrets.
  ///
  /// A semicolon separates fields, too. One inside a secret is part of it.
  func fields(_ text: String) -> String {
    text.split(separator: "&", omittingEmptySubsequences: false).map(fields(between:))
      .joined(separator: "&")
  }

  private func fields(between text: Substring) -> String {
    var shown = ""
    var rest = text
    while true {
      let field = rest.prefix { $0 != ";" }
      if let equals = field.firstIndex(of: "=") {
        let name = Self.decoded(field[..<equals])
        if isSecret(name) {
          let value = Self.decoded(rest[rest.index(after: equals)...])
          return shown + rest[...equals] + replacement(value, name)
        }
        shown += field[...equals] + value(field[field.index(after: equals)...])
      } else {
        shown += field
      }
      guard field.endIndex < rest.endIndex else { return shown }
      shown += ";"
      rest = rest[rest.index(after: field.endIndex)...]
    }
  }

  /// Returns the value of another name, encoded again if a secret was in it.
  private func value(_ encoded: Substring) -> String {
    let value = Self.decoded(encoded)
    let masked = inside(value)
    guard masked != value else { return String(encoded) }
    return masked.addingPercentEncoding(withAllowedCharacters: Self.unreserved) ?? String(encoded)
  }

  private static let unreserved = CharacterSet(
    charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/:")

  /// Returns a part of a form without its escapes.
  private static func decoded(_ text: Substring) -> String {
    let spaced = String(text).replacing("+", with: " ")
    return spaced.removingPercentEncoding ?? spaced
  }

  /// Whether a text is a URL, which may be relative.
  static func isURL(_ text: String) -> Bool {
    (text.hasPrefix("/") || text.contains("://")) && !text.utf8.contains { $0 <= 0x20 }
  }

  /// Whether a text is `name=value&…`, with names that have no characters of other formats.
  static func isForm(_ text: String) -> Bool {
    guard text.utf8.contains(UInt8(ascii: "=")),
      !text.utf8.contains(where: { $0 <= 0x20 || #"<>{}"'"#.utf8.contains($0) })
    else { return false }
    return text.split(separator: "&").allSatisfy { field in
      let name = field.utf8.prefix { $0 != UInt8(ascii: "=") }
      return !name.isEmpty && !name.contains { "?:/;".utf8.contains($0) }
    }
  }
}
