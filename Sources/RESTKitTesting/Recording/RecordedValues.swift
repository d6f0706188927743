import Foundation
import RESTKit
import RESTKitReports
import Streams

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The secrets of a recording that is played, and what the client sends in their places.
final class RecordedValues: Sendable {
  let placeholders: RecordedPlaceholders
  private let names: RecordedNames
  /// The placeholders of secrets that no response has issued; they match any value.
  private let free: Set<String>
  private let played = Lock(PlayedValues())

  init(_ har: HAR, names: RecordedNames) {
    self.names = names.adding(
      (har[log: RecordedNames.member]?.array ?? []).compactMap(\.string))
    placeholders = RecordedPlaceholders(har)
    var (free, issued) = (Set<String>(), Set<String>())
    for entry in har.entries {
      let (sent, received) = entry.placeholders(placeholders)
      free.formUnion(sent.subtracting(issued))
      issued.formUnion(received.subtracting(free))
    }
    self.free = free
  }

  // MARK: Matching

  /// Returns a comparison of a request.
  func match() -> RecordedMatch { RecordedMatch(self) }

  /// Returns the values that sent bytes have in place of the free secrets of recorded ones; nil if
  /// they differ otherwise.
  func values(in sent: [UInt8], as recorded: [UInt8]) -> [String: [UInt8]]? {
    if sent == recorded { return [:] }
    var literals: [[UInt8]] = [[]]
    var wanted: [String] = []
    for part in placeholders.parts(of: recorded) {
      switch part {
      case .literal(let bytes): literals[literals.count - 1] += bytes
      case .placeholder(let text) where free.contains(text):
        wanted.append(text)
        literals.append([])
      case .placeholder(let text): literals[literals.count - 1] += issued(text).utf8
      }
    }
    guard sent.starts(with: literals[0]) else { return nil }
    var rest = sent[literals[0].count...]
    var values: [String: [UInt8]] = [:]
    for (index, placeholder) in wanted.enumerated() {
      let literal = literals[index + 1]
      let isLast = index == wanted.count - 1
      // A placeholder matches at least one byte.
      let tail = rest.dropFirst()
      guard !rest.isEmpty, let end = isLast ? tail.startOfSuffix(literal) : tail.start(of: literal)
      else { return nil }
      values[placeholder] = Array(rest[..<end])
      rest = rest[(end + literal.count)...]
    }
    return rest.isEmpty ? values : nil
  }

  /// Returns a secret that a response has issued, as it was played.
  private func issued(_ placeholder: String) -> String {
    guard let token = JSONWebToken(placeholder) else { return placeholder }
    return RecordedEcho(placeholders, played.withLock { $0 }).token(token).text
  }

  // MARK: Playing

  /// Returns an exchange whose response has what its request, or an earlier one, sent in place of
  /// the recorded secrets and ports.
  func echoing(_ exchange: PlayedExchange) -> PlayedExchange {
    guard let recorded = exchange.step.recorded else { return exchange }
    let sent = recorded.values(of: exchange.request)
    let played = played.withLock { played in
      played.add(sent)
      return played
    }
    guard !played.isEmpty else { return exchange }
    let step = RecordedEcho(placeholders, played).step(exchange.step)
    return PlayedExchange(
      request: exchange.request, play: StubPlay(step), id: exchange.id, log: exchange.log,
      declaredSecrets: exchange.declaredSecrets)
  }

  // MARK: Hiding

  /// Returns JSON with secret numbers replaced as in a recording, or other bytes unchanged.
  func withoutSecretNumbers(_ body: Data) -> Data {
    let rules = JSONMask.Rules(meaning: { [names] in names.meaning(of: $0, in: .request) }) {
      [names] name, value in
      guard case .number = value, names.hidesNumbers(under: name) else { return nil }
      return "0"
    }
    return JSONMask.masked(body, by: rules) ?? body
  }

  /// Returns a difference that does not show the sent value of a secret.
  func withoutSecrets(_ difference: StubDifference) -> StubDifference {
    let name = difference.part.split(whereSeparator: { $0 == " " || $0 == "." }).last ?? ""
    let isRecorded = !placeholders.all(in: difference.expected ?? "").isEmpty
    guard isRecorded || names.contains(String(name), in: .request) else { return difference }
    return StubDifference(
      difference.part, expected: difference.expected,
      sent: difference.sent.map { _ in difference.expected == nil ? "…" : "another value" },
      weight: difference.weight)
  }
}

/// What a client sent in place of recorded values.
struct PlayedValues: Sendable {
  /// The values in place of placeholders.
  var texts: [String: [UInt8]] = [:]
  /// The ports of this machine in place of recorded ones.
  var ports: [String: String] = [:]

  var isEmpty: Bool { texts.isEmpty && ports.isEmpty }

  mutating func add(_ other: PlayedValues) {
    texts.merge(other.texts) { $1 }
    ports.merge(other.ports) { $1 }
  }
}

/// The comparison of one sent request with a recorded one, which notes what the request has in
/// place of recorded values.
struct RecordedMatch {
  /// What the request has in place of recorded values, where it matched.
  private(set) var found = PlayedValues()
  private let values: RecordedValues

  init(_ values: RecordedValues) {
    self.values = values
  }

  /// Returns the recorded text if the sent one equals it apart from free secrets and ports, or the
  /// sent text.
  mutating func aligned(_ sent: String, to recorded: String) -> String {
    let (text, ports) = Self.withPorts(of: recorded, in: sent)
    guard let texts = values.values(in: Array(text.utf8), as: Array(recorded.utf8)) else {
      return text
    }
    found.add(PlayedValues(texts: texts, ports: ports))
    return recorded
  }

  /// Whether sent bytes equal the recorded ones, apart from free secrets.
  mutating func matches(_ sent: Data, _ recorded: Data) -> Bool {
    guard let texts = values.values(in: Array(sent), as: Array(recorded)) else { return false }
    found.add(PlayedValues(texts: texts))
    return true
  }

  mutating func aligned(_ sent: [StubField], to recorded: [StubField]) -> [StubField] {
    sent.map { field in
      recorded.first { other in
        other.name.isExactly(field.name)
          && other.value?.isExactly(aligned(field.value ?? "", to: other.value ?? "")) == true
      } ?? field
    }
  }

  mutating func aligned(_ sent: StubJSON, to recorded: StubJSON) -> StubJSON {
    switch (sent, recorded) {
    case (.string(let text), .string(let other)): return .string(aligned(text, to: other))
    case (.array(let elements), .array(let others)):
      return .array(
        elements.enumerated().map { index, element in
          index < others.count ? aligned(element, to: others[index]) : element
        })
    case (.object(let members), .object(let others)):
      var aligned: [String: StubJSON] = [:]
      for (name, member) in members {
        aligned[name] = others[name].map { self.aligned(member, to: $0) } ?? member
      }
      return .object(aligned)
    default: return sent
    }
  }

  /// Returns a sent text with the recorded port of this machine, as a redirect URI has it (RFC 8252
  /// §7.3), and the sent port.
  ///
  /// The system gives another port to each run.
  private static func withPorts(
    of recorded: String, in sent: String
  ) -> (text: String, ports: [String: String]) {
    let pattern = /(?:127\.0\.0\.1|localhost|\[::1\]):([0-9]+)/
    guard let port = recorded.firstMatch(of: pattern)?.output.1 else { return (sent, [:]) }
    var ports: [String: String] = [:]
    let text = sent.replacing(pattern) { match in
      if match.output.1 != port { ports[String(port)] = String(match.output.1) }
      return match.output.0.dropLast(match.output.1.count) + port
    }
    return (text, ports)
  }
}

extension ArraySlice<UInt8> {
  /// Returns the place where other bytes occur first; an empty text occurs at the beginning.
  fileprivate func start(of other: [UInt8]) -> Int? {
    guard !other.isEmpty else { return startIndex }
    guard count >= other.count else { return nil }
    return (startIndex...(endIndex - other.count)).first { self[$0...].starts(with: other) }
  }

  /// Returns the place of other bytes at the end.
  fileprivate func startOfSuffix(_ other: [UInt8]) -> Int? {
    suffix(other.count).elementsEqual(other) ? endIndex - other.count : nil
  }
}
