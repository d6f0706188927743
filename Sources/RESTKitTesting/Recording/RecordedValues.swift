import Foundation
import RESTKit
import RESTKitReports

/// A comparison of sent values with recorded ones.
struct RecordedValues: Sendable {
  /// The placeholders of secrets that no response has issued; they match any value.
  private let free: Set<String>
  private let names: RecordedNames

  init(_ har: HAR, names: RecordedNames) {
    self.names = names
    var (free, issued) = (Set<String>(), Set<String>())
    for entry in har.entries {
      let sent = Self.placeholders(in: entry.json["request"]).union(
        Self.placeholdersInBytes(of: entry))
      free.formUnion(sent.subtracting(issued))
      issued.formUnion(Self.placeholders(in: entry.json["response"]).subtracting(free))
    }
    self.free = free
  }

  private static func placeholders(in json: JSONValue?) -> Set<String> {
    guard let data = try? JSONEncoder().encode(json) else { return [] }
    return Set(SecretPlaceholder.all(in: String(decoding: data, as: UTF8.self)).map(String.init))
  }

  /// Returns the placeholders in a request's body that is not text.
  private static func placeholdersInBytes(of entry: HAREntry) -> Set<String> {
    let posted = entry.json["request"]?["postData"]?["_base64"]?.string
    guard let bytes = posted.flatMap({ Data(base64Encoded: $0) }),
      let text = SecretPlaceholder.text(of: bytes)
    else { return [] }
    return Set(SecretPlaceholder.all(in: text).map(String.init))
  }

  // MARK: Aligning

  /// Whether sent bytes equal the recorded ones, apart from free secrets.
  func matches(_ sent: Data, _ recorded: Data) -> Bool {
    guard sent != recorded, let text = SecretPlaceholder.text(of: recorded) else {
      return sent == recorded
    }
    let other = String(String.UnicodeScalarView(sent.map { Unicode.Scalar($0) }))
    return aligned(other, to: text) == text
  }

  /// Returns the recorded text if the sent one equals it apart from free secrets, or the sent text.
  func aligned(_ sent: String, to recorded: String) -> String {
    let sent = Self.withPorts(of: recorded, in: sent)
    guard sent != recorded else { return recorded }
    let literals = SecretPlaceholder.literals(of: recorded, free: free)
    guard literals.count > 1, let last = literals.last else { return sent }
    var rest = sent[...]
    for (index, literal) in literals.dropLast().enumerated() {
      // A placeholder matches at least one character.
      guard
        let found = index == 0 ? rest.prefixRange(of: literal) : rest.dropFirst().range(of: literal)
      else { return sent }
      rest = rest[found.upperBound...]
    }
    return rest.dropFirst().hasSuffix(last) && !rest.isEmpty ? recorded : sent
  }

  /// Returns a sent text with the recorded port of this machine, as a redirect URI has it (RFC 8252
  /// §7.3).
  ///
  /// The system gives another port to each run.
  private static func withPorts(of recorded: String, in sent: String) -> String {
    let pattern = /(?:127\.0\.0\.1|localhost|\[::1\]):([0-9]+)/
    guard let port = recorded.firstMatch(of: pattern)?.output.1 else { return sent }
    return sent.replacing(pattern) { match in
      match.output.0.dropLast(match.output.1.count) + port
    }
  }

  func aligned(_ sent: [StubField], to recorded: [StubField]) -> [StubField] {
    sent.map { field in
      let twin = recorded.first {
        $0.name == field.name && aligned(field.value ?? "", to: $0.value ?? "") == $0.value
      }
      return twin ?? field
    }
  }

  func aligned(_ sent: StubJSON, to recorded: StubJSON) -> StubJSON {
    switch (sent, recorded) {
    case (.string(let text), .string(let other)): .string(aligned(text, to: other))
    case (.array(let elements), .array(let others)):
      .array(
        elements.enumerated().map { index, element in
          index < others.count ? aligned(element, to: others[index]) : element
        })
    case (.object(let members), .object(let others)):
      .object(
        Dictionary(
          uniqueKeysWithValues: members.map { name, member in
            (name, others[name].map { aligned(member, to: $0) } ?? member)
          }))
    default: sent
    }
  }

  // MARK: Hiding

  /// Returns JSON with secret numbers replaced as in a recording, or other bytes unchanged.
  func withoutSecretNumbers(_ body: Data) -> Data {
    let rules = JSONMask.Rules(meaning: { names.meaning(of: $0, in: .request) }) { name, value in
      guard case .number = value, names.hidesNumbers(under: name) else { return nil }
      return "0"
    }
    return JSONMask.masked(body, by: rules) ?? body
  }

  /// Returns a difference that does not show the sent value of a secret.
  func withoutSecrets(_ difference: StubDifference) -> StubDifference {
    let name = difference.part.split(whereSeparator: { $0 == " " || $0 == "." }).last ?? ""
    let isRecorded = !SecretPlaceholder.all(in: difference.expected ?? "").isEmpty
    guard isRecorded || names.contains(String(name), in: .request) else { return difference }
    return StubDifference(
      difference.part, expected: difference.expected,
      sent: difference.sent.map { _ in difference.expected == nil ? "…" : "another value" },
      weight: difference.weight)
  }
}

extension Substring {
  fileprivate func prefixRange(of literal: Substring) -> Range<Index>? {
    hasPrefix(literal) ? startIndex..<index(startIndex, offsetBy: literal.count) : nil
  }
}
