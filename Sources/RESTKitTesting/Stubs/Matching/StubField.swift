import Foundation
import RESTKit

/// A name with its value, of a query or a form, compared byte by byte.
struct StubField: Sendable {
  let name: String
  let value: String?
  /// Whether the decoded bytes are no text, so that name and value are percent-encoded.
  var isEncoded = false

  /// Returns the differences between two lists, name by name, in any order of the names.
  ///
  /// - Parameters:
  ///   - kind: The kind of the fields, for the report.
  ///   - isExact: Whether other fields are not allowed.
  static func differences(
    of kind: String, expected: [StubField], sent: [StubField], isExact: Bool
  ) -> [StubDifference] {
    guard expected != sent else { return [] }
    var names = Self.names(expected)
    if isExact { names += Self.names(sent).filter { !names.contains($0) } }
    return names.compactMap { name in
      let wanted = expected.filter { $0.exactName == name }.sorted()
      let there = sent.filter { $0.exactName == name }.sorted()
      let isMet = isExact ? wanted == there : wanted.allSatisfy(there.contains)
      guard !isMet else { return nil }
      return StubDifference(
        "\(kind) \(name.text)", expected: text(of: wanted), sent: text(of: there))
    }
  }

  /// Returns the fields of a query, or of an `application/x-www-form-urlencoded` body.
  ///
  /// A name alone has no value. In both, `+` is a blank (WHATWG URL §5.1).
  static func form(_ text: some StringProtocol, keepsEmpty: Bool = false) -> [StubField] {
    text.split(separator: "&", omittingEmptySubsequences: !keepsEmpty).map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        .map { $0.decodedBytes(isForm: true) }
      let texts = parts.compactMap { String(validating: $0, as: UTF8.self) }
      let isEncoded = texts.count < parts.count
      let shown = isEncoded ? parts.map(percentEncoded) : texts
      return StubField(
        name: shown[0], value: shown.count == 2 ? shown[1] : nil, isEncoded: isEncoded)
    }
  }

  /// Returns the fields of an `application/x-www-form-urlencoded` body.
  static func form(_ body: Data) -> [StubField] { form(String(decoding: body, as: UTF8.self)) }

  private static func percentEncoded(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      byte.isASCIIDigit || byte.isASCIILetter
        ? String(UnicodeScalar(byte))
        : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
    .joined()
  }

  private var exactName: ExactText { ExactText(name) }

  private static func text(of fields: [StubField]) -> String? {
    fields.isEmpty ? nil : fields.map { $0.value ?? "(no value)" }.joined(separator: ", ")
  }

  private static func names(_ fields: [StubField]) -> [ExactText] {
    fields.reduce(into: []) { if !$0.contains($1.exactName) { $0.append($1.exactName) } }
  }
}

extension StubField: Hashable, Comparable {
  static func == (one: Self, other: Self) -> Bool {
    one.exactName == other.exactName && one.exactValue == other.exactValue
      && one.isEncoded == other.isEncoded
  }

  func hash(into hasher: inout Hasher) {
    hasher.combine(exactName)
    hasher.combine(exactValue)
  }

  /// Orders fields with one name by the bytes of their values, without a value first.
  static func < (one: Self, other: Self) -> Bool {
    guard let value = one.value, let second = other.value else { return other.value != nil }
    return value.utf8.lexicographicallyPrecedes(second.utf8)
  }

  private var exactValue: ExactText? { value.map(ExactText.init) }
}
