import Foundation

/// A name with its value, of a query or a form.
struct StubField: Sendable, Hashable {
  let name: String
  let value: String?

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
      let wanted = expected.filter { $0.name == name }.map(\.text).sorted()
      let there = sent.filter { $0.name == name }.map(\.text).sorted()
      let isMet = isExact ? wanted == there : wanted.allSatisfy(there.contains)
      guard !isMet else { return nil }
      return StubDifference(
        "\(kind) \(name)", expected: wanted.isEmpty ? nil : wanted.joined(separator: ", "),
        sent: there.isEmpty ? nil : there.joined(separator: ", "))
    }
  }

  /// Returns the fields of an `application/x-www-form-urlencoded` body.
  static func form(_ body: Data) -> [StubField] {
    String(decoding: body, as: UTF8.self).split(separator: "&").map { pair in
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let texts = parts.map(decoded)
      return StubField(name: texts[0], value: texts.count == 2 ? texts[1] : nil)
    }
  }

  /// Returns a name or a value of a form, decoded.
  static func decoded(_ text: Substring) -> String {
    let text = String(text.replacing("+", with: " "))
    return text.removingPercentEncoding ?? text
  }

  private var text: String { value ?? "(no value)" }

  private static func names(_ fields: [StubField]) -> [String] {
    fields.reduce(into: []) { if !$0.contains($1.name) { $0.append($1.name) } }
  }
}
