import Foundation
import RESTKit

/// A JSON value that is compared by its meaning: members in any order, numbers by value, texts byte
/// by byte.
enum StubJSON: Sendable, Decodable {
  case null
  case bool(Bool)
  case number(Decimal)
  case string(String)
  case array([StubJSON])
  case object([String: StubJSON])

  /// - Returns: nil if the bytes are not JSON.
  init?(_ data: Data) {
    guard let value = try? JSONDecoder().decode(StubJSON.self, from: data) else { return nil }
    self = value
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode(Decimal.self) {
      self = .number(value)
    } else if let value = try? container.decode([StubJSON].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: StubJSON].self))
    }
  }

  /// Returns the differences to another value, leaf by leaf.
  ///
  /// - Parameters:
  ///   - path: The path of this value, in the style of JSONPath.
  ///   - isPartial: Whether an object may have other members.
  func differences(
    to sent: StubJSON, at path: String = "$", isPartial: Bool
  ) -> [StubDifference] {
    switch (self, sent) {
    case (.object(let members), .object(let others)):
      let missing = members.keys.sorted().flatMap { name in
        let place = "\(path).\(name)"
        guard let member = members[name] else { return [StubDifference]() }
        guard let other = others.member(exactly: name) else {
          return [StubDifference("body \(place)", expected: member.text, sent: nil)]
        }
        return member.differences(to: other, at: place, isPartial: isPartial)
      }
      let extra =
        isPartial
        ? [] : others.filter { members.member(exactly: $0.key) == nil }.sorted { $0.key < $1.key }
      return missing
        + extra.map { StubDifference("body \(path).\($0.key)", expected: nil, sent: $0.value.text) }
    case (.array(let elements), .array(let others)):
      let unequal = zip(elements, others).enumerated().flatMap { index, pair in
        pair.0.differences(to: pair.1, at: "\(path)[\(index)]", isPartial: isPartial)
      }
      guard elements.count != others.count else { return unequal }
      let count = StubDifference(
        "body \(path), elements", expected: "\(elements.count)", sent: "\(others.count)")
      return [count] + unequal
    default:
      guard self != sent else { return [] }
      return [StubDifference("body \(path)", expected: text, sent: sent.text)]
    }
  }

  /// A text such as `"A-1"`, or `{…}` for what has parts.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .array: "[…]"
    case .object: "{…}"
    }
  }
}

extension StubJSON: Equatable {
  static func == (one: Self, other: Self) -> Bool {
    switch (one, other) {
    case (.string(let text), .string(let second)): text.isExactly(second)
    case (.bool(let value), .bool(let second)): value == second
    case (.number(let value), .number(let second)): value == second
    case (.null, .null): true
    case (.array, .array), (.object, .object):
      one.differences(to: other, isPartial: false).isEmpty
    default: false
    }
  }
}

extension [String: StubJSON] {
  /// Returns the member whose name has the same bytes.
  func member(exactly name: String) -> StubJSON? {
    index(forKey: name).flatMap { self[$0].key.isExactly(name) ? self[$0].value : nil }
  }
}
