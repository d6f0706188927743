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

  init(_ part: String, expected: String?, sent: String?, weight: Int = 1) {
    let isSecret = Self.isSecret(part)
    func shown(_ text: String?) -> String? {
      text.map { isSecret ? "<redacted>" : Self.capped($0) }
    }
    self.part = Self.capped(part)
    self.expected = shown(expected)
    self.sent = isSecret && expected != nil && sent != nil ? "<redacted>, another" : shown(sent)
    self.weight = weight
  }

  /// One line for what was expected and one for what was sent.
  var lines: [String] {
    ["- \(part): \(expected ?? "(none)")", "+ \(part): \(sent ?? "(none)")"]
  }

  /// Whether something of that name is not to be told: a report ends up in the logs of a build.
  private static func isSecret(_ part: String) -> Bool {
    let words = part.lowercased().filter { $0 != "-" && $0 != "_" }
    return secretWords.contains { words.contains($0) }
  }

  private static let secretWords = [
    "auth", "cookie", "token", "secret", "passw", "apikey", "signature", "session", "credential",
    "assertion", "query key", "query code", "form code", "$.code",
  ]

  private static func capped(_ text: String) -> String {
    let line = text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : String($0) }
    return line.count <= 100 ? line.joined() : line.prefix(99).joined() + "…"
  }
}
