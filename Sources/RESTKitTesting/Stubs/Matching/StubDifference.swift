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

  init(
    _ part: String, expected: String?, sent: String?, weight: Int = 1, isText: Bool = true
  ) {
    self.part = part
    self.expected = expected
    self.sent = sent
    self.weight = weight
    self.isText = isText
  }

  /// Returns one line for the expected value and one for the sent value.
  ///
  /// Between long similar values, a third line marks their first difference.
  ///
  /// - Parameter hidesSecrets: Whether values are left out whose names are names of secrets.
  func lines(hidingSecrets hidesSecrets: Bool) -> [String] {
    let part = StubValueText(part).text
    guard !hidesSecrets || !isSecret else {
      let other = expected == nil ? "<redacted>" : "<redacted>, another"
      return lines(part, expected.map { _ in "<redacted>" }, sent.map { _ in other })
    }
    guard let expected, let sent else {
      return lines(
        part, expected.map { StubValueText($0).text }, sent.map { StubValueText($0).text })
    }
    let (wanted, other, mark) = StubValueText.pair(expected, sent)
    guard isText, let mark else { return lines(part, wanted, other) }
    let indent = "- \(part): ".count + mark
    return lines(part, wanted, other) + [String(repeating: " ", count: indent) + "^"]
  }

  private func lines(_ part: String, _ expected: String?, _ sent: String?) -> [String] {
    ["- \(part): \(expected ?? "(none)")", "+ \(part): \(sent ?? "(none)")"]
  }

  /// Whether a value with that name is a secret.
  private var isSecret: Bool {
    let words = part.lowercased().filter { $0 != "-" && $0 != "_" }
    return Self.secretWords.contains { words.contains($0) }
  }

  private static let secretWords = [
    "auth", "cookie", "token", "secret", "passw", "apikey", "signature", "session", "credential",
    "assertion", "query key", "query code", "form code", "$.code",
  ]
}
