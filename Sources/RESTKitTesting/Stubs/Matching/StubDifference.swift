/// One way in which a request is not what a stub waits for, fit for a report.
struct StubDifference: Sendable, Hashable {
  /// What differs, such as `header Accept` or `body $.lines[0].sku`.
  let part: String
  /// What the stub asks for; nil for nothing of that name.
  let expected: String?
  /// What was sent; nil for nothing of that name.
  let sent: String?
  /// How much it counts when the nearest stubs are looked for.
  let weight: Int
  /// Whether the values are those of the request, and not a description of them.
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

  /// One line for what was expected and one for what was sent; between long values that are much alike, a
  /// third one marks where they begin to differ.
  ///
  /// - Parameter hidesSecrets: Whether values are left out whose names are those of secrets.
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

  /// Whether something of that name is a secret.
  private var isSecret: Bool {
    let words = part.lowercased().filter { $0 != "-" && $0 != "_" }
    return Self.secretWords.contains { words.contains($0) }
  }

  private static let secretWords = [
    "auth", "cookie", "token", "secret", "passw", "apikey", "signature", "session", "credential",
    "assertion", "query key", "query code", "form code", "$.code",
  ]
}
