import Foundation
import RESTKit

/// One difference between a request and a stub's request, for a report.
struct StubDifference: Sendable, Hashable {
  /// The part that differs, such as `header Accept` or `body $.lines[0].sku`.
  let part: String
  /// The expected value; nil if the stub expects no such part.
  let expected: String?
  /// The sent value; nil if the request has no such part.
  let sent: String?
  /// The weight of the difference in the search for the nearest stubs.
  let weight: Int
  /// Whether the values are texts of the request, and not descriptions of them.
  private let isText: Bool
  /// Whether the values are spelled alike, so that a mark between them has a meaning.
  private let isMarked: Bool
  /// Whether the expected value is an expression, in whose syntax a secret may be spelled.
  private let isExpression: Bool

  init(
    _ part: String, expected: String?, sent: String?, weight: Int = 1, isText: Bool = true,
    isMarked: Bool = true, isExpression: Bool = false
  ) {
    self.part = part
    self.expected = expected
    self.sent = sent
    self.weight = weight
    self.isText = isText
    self.isMarked = isMarked
    self.isExpression = isExpression
  }

  /// Returns one line for the expected value and one for the sent value.
  ///
  /// Between long similar values, a third line marks their first difference.
  ///
  /// - Parameters:
  ///   - hidesSecrets: Whether values are left out whose names are names of secrets.
  ///   - declared: The names that the API of the request declares.
  func lines(hidingSecrets hidesSecrets: Bool, _ declared: DeclaredSecrets? = nil) -> [String] {
    guard hidesSecrets else { return lines(hiding: nil) }
    return withoutInnerSecrets(declared).lines(hiding: declared?.list ?? .standard)
  }

  private func lines(hiding names: SecretNames?) -> [String] {
    let part = StubValueText(part).text
    guard names.map(isSecret) != true else {
      let other = expected == nil ? "<redacted>" : "<redacted>, another"
      return lines(part, expected.map { _ in "<redacted>" }, sent.map { _ in other })
    }
    guard let expected, let sent else {
      return lines(
        part, expected.map { StubValueText($0).text }, sent.map { StubValueText($0).text })
    }
    let (wanted, other, mark) = StubValueText.pair(expected, sent)
    guard isText, isMarked, let mark else { return lines(part, wanted, other) }
    let indent = "- \(part): ".count + mark
    return lines(part, wanted, other) + [String(repeating: " ", count: indent) + "^"]
  }

  private func lines(_ part: String, _ expected: String?, _ sent: String?) -> [String] {
    ["- \(part): \(expected ?? "(none)")", "+ \(part): \(sent ?? "(none)")"]
  }

  /// Whether a name in the part, such as those of `body $.login.password`, is a secret's.
  private func isSecret(in names: SecretNames) -> Bool {
    let words = part.split(whereSeparator: { " .[]".contains($0) }).map(String.init)
    guard words.first != "header" else {
      return words.last.map { names.contains(field: $0) } == true
    }
    return words.contains { names.contains($0) }
  }

  /// The difference without the secrets inside of its values.
  private func withoutInnerSecrets(_ declared: DeclaredSecrets?) -> StubDifference {
    let redaction = Redaction.byName.adding(declared)
    // A body that is no form has its text in the name of a field.
    let kind = String(part.prefix { $0 != " " })
    let part = kind + redaction.text(inside: String(part.dropFirst(kind.count)))
    guard isText else {
      return StubDifference(part, expected: expected, sent: sent, weight: weight, isText: false)
    }
    let names = declared?.list ?? .standard
    let shown = expected.map { text in
      isExpression && Self.isNaming(text, in: names)
        ? "/<redacted>/" : Self.text(text, hiding: redaction)
    }
    var other = sent.map { Self.text($0, hiding: redaction) }
    // Two equal lines would tell no difference.
    if let text = other, text == shown { other = "\(text), with another secret" }
    return StubDifference(
      part, expected: shown, sent: other, weight: weight, isMarked: isMarked)
  }
}

extension StubDifference {
  /// Whether a word of a text is the name of a secret.
  private static func isNaming(_ text: String, in names: SecretNames) -> Bool {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-") }
      .contains { names.contains(String($0)) }
  }

  /// Returns a value without the secrets that names in it tell.
  private static func text(_ text: String, hiding redaction: Redaction) -> String {
    // The whole text of a multipart body.
    guard text.hasPrefix("--"),
      let body = redaction.body(Data(text.utf8), contentType: "multipart/form-data")
    else { return redaction.text(inside: text) }
    return String(decoding: body, as: UTF8.self)
  }
}

/// The text of a value in a report: on one line, and not too long.
private struct StubValueText {
  private static let mostCharacters = 100
  /// The most characters in common that are shown before the first difference of two long values.
  private static let commonCharacters = 40
  /// The longest values whose difference needs no mark.
  private static let shortCharacters = 20

  private let characters: [Character]

  init(_ value: String) {
    // A decomposed text looks like the composed one, from which it may differ.
    let isComposed = value.precomposedStringWithCanonicalMapping.isExactly(value)
    // Control characters could forge a line of the report.
    characters =
      isComposed
      ? Array(value.printable)
      : value.unicodeScalars.flatMap { scalar in
        scalar.isASCII && scalar.isPrintable ? String(scalar) : scalar.escaped(asASCII: true)
      }
  }

  var text: String { text(from: 0) }

  private func text(from start: Int) -> String {
    let rest = characters[min(start, characters.count)...]
    let shown =
      rest.count <= Self.mostCharacters
      ? String(rest) : String(rest.prefix(Self.mostCharacters - 1)) + "…"
    return start > 0 ? "…" + shown : shown
  }

  /// Returns two different values, each cut to the surroundings of their first difference.
  ///
  /// - Returns: The texts, and the position of the first difference in both; nil if it needs no
  ///   mark.
  static func pair(_ one: String, _ other: String) -> (String, String, mark: Int?) {
    let (one, other) = (StubValueText(one), StubValueText(other))
    let common = zip(one.characters, other.characters).prefix { $0 == $1 }.count
    let longest = max(one.characters.count, other.characters.count)
    let start = longest > mostCharacters ? max(common - commonCharacters, 0) : 0
    let mark = start > 0 ? common - start + 1 : common
    return (
      one.text(from: start), other.text(from: start),
      longest > shortCharacters && common > 0 ? mark : nil
    )
  }
}
