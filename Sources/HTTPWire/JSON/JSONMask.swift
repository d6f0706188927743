import Foundation

/// A JSON text with some of its values hidden.
///
/// Names, order, blanks and nesting stay unchanged. A hidden value is replaced by one of its kind,
/// so a type that decodes the original also decodes the masked text, if it accepts any string.
/// `true`, `false` and `null` stay unchanged.
///
/// In an object such as `{"name": "password", "value": "…"}`, the one member names the other.
package struct JSONMask {
  /// A value that is hidden.
  package enum Value {
    /// A string, without its quotes and escapes.
    case string(String)
    /// A number in its original spelling.
    case number(String)
  }

  /// The decisions about the values of a text.
  package struct Rules {
    /// Returns what a name says about its value.
    ///
    /// A value outside any member has the name "".
    let meaning: (String) -> SecretNames.Meaning
    /// Returns the replacement for a hidden value as JSON, or nil to keep the value.
    ///
    /// It gets the name that hides the value.
    let secret: (String, Value) -> String?
    /// Returns the replacement for a string that no name hides, or nil to keep the string.
    let plain: (String) -> String?

    package init(
      meaning: @escaping (String) -> SecretNames.Meaning,
      secret: @escaping (String, Value) -> String?,
      plain: @escaping (String) -> String? = { _ in nil }
    ) {
      self.meaning = meaning
      self.secret = secret
      self.plain = plain
    }
  }

  /// The name that hides values, and how deep.
  private struct Hiding {
    enum Reach {
      /// Everything in the value.
      case all
      /// The texts of a collection: those of its arrays, or those of its own members.
      case collection
      /// The texts of a collection's arrays. An object in them has names of its own.
      case elements
    }

    let name: String
    let reach: Reach
  }

  private struct Container {
    let isObject: Bool
    /// What hides all values in the container.
    let hiding: Hiding?
    /// The name of the member `value`: from its neighbor, or from the collection around the object.
    let valueName: String?
    /// Whether a neighbor has that name.
    let isPair: Bool
    var isAtName: Bool
    /// What hides the next value.
    var next: Hiding?
  }

  private let bytes: [UInt8]
  private let rules: Rules
  /// The objects with a name and a value as members, by their places, and whether they name a
  /// secret.
  private let pairs: [Int: String]
  private var position = 0
  private var result: [UInt8] = []
  private var containers: [Container] = []

  /// - Parameters:
  ///   - body: The JSON text.
  ///   - rules: The decisions about its values.
  /// - Returns: nil if the body is not JSON.
  package static func masked(_ body: Data, by rules: Rules) -> Data? {
    // The body is checked first, because the code below requires valid JSON.
    guard (try? JSONEnvelope.unwrap(body, key: "")) != nil else { return nil }
    var mask = JSONMask(bytes: Array(body), rules: rules)
    return Data(mask.run())
  }

  /// Returns a text as a JSON string.
  package static func quoted(_ text: String) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "\"\""
  }

  private init(bytes: [UInt8], rules: Rules) {
    self.bytes = bytes
    self.rules = rules
    pairs = JSONPairs(bytes).names
  }

  private mutating func run() -> [UInt8] {
    let outer = Self.hiding(rules.meaning(""), of: "")
    while position < bytes.count {
      let hiding = containers.isEmpty ? outer : containers[containers.count - 1].next
      switch bytes[position] {
      case UInt8(ascii: "{"):
        open(object: true, hidden: hiding)
      case UInt8(ascii: "["):
        open(object: false, hidden: hiding)
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        _ = containers.popLast()
        copyByte()
      case UInt8(ascii: ","):
        if let last = containers.indices.last { containers[last].isAtName = true }
        copyByte()
      case UInt8(ascii: "\""):
        let token = JSONToken.string(at: &position, in: bytes)
        if let last = containers.indices.last, containers[last].isObject, containers[last].isAtName
        {
          containers[last].isAtName = false
          containers[last].next = self.hiding(by: JSONToken.text(of: token), in: containers[last])
          result += token
        } else {
          append(string: token, hidden: hiding)
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        append(number: number(), hidden: hiding)
      default:
        copyByte()
      }
    }
    return result
  }

  private mutating func open(object isObject: Bool, hidden hiding: Hiding?) {
    var inner = hiding
    var valueName = isObject ? pairs[position] : nil
    let isPair = valueName.map { rules.meaning($0) != .plain } == true
    if let hiding, hiding.reach != .all {
      let isOwn = isObject && hiding.reach == .elements
      inner = isOwn ? nil : Hiding(name: hiding.name, reach: .elements)
      if isOwn, !isPair { valueName = hiding.name }
    }
    containers.append(
      Container(
        isObject: isObject, hiding: inner, valueName: valueName, isPair: isPair,
        isAtName: isObject, next: inner))
    copyByte()
  }

  /// Returns what hides the value of a member.
  private func hiding(by name: String, in container: Container) -> Hiding? {
    if let hiding = container.hiding, hiding.reach == .all { return hiding }
    if let valueName = container.valueName {
      let isNamed = rules.meaning(valueName) != .plain
      if isNamed, JSONPairs.values.contains(name) { return Hiding(name: valueName, reach: .all) }
      // The name of a secret is none.
      if isNamed, container.isPair, JSONPairs.keys.contains(name) { return nil }
    }
    return Self.hiding(rules.meaning(name), of: name) ?? container.hiding
  }

  private static func hiding(_ meaning: SecretNames.Meaning, of name: String) -> Hiding? {
    switch meaning {
    case .plain: nil
    case .secret: Hiding(name: name, reach: .all)
    case .secrets: Hiding(name: name, reach: .collection)
    }
  }

  private mutating func append(string token: ArraySlice<UInt8>, hidden hiding: Hiding?) {
    let text = JSONToken.text(of: token)
    let replacement =
      hiding.map { rules.secret($0.name, .string(text)) } ?? rules.plain(text).map(Self.quoted)
    if let replacement { result += replacement.utf8 } else { result += token }
  }

  private mutating func append(number token: ArraySlice<UInt8>, hidden hiding: Hiding?) {
    guard let hiding, hiding.reach == .all,
      let replacement = rules.secret(hiding.name, .number(String(decoding: token, as: UTF8.self)))
    else {
      result += token
      return
    }
    result += replacement.utf8
  }

  private mutating func copyByte() {
    result.append(bytes[position])
    position += 1
  }

  private mutating func number() -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count, Self.isInNumber(bytes[position]) { position += 1 }
    return bytes[start..<position]
  }

  private static func isInNumber(_ byte: UInt8) -> Bool {
    byte.isASCIIDigit || [0x2B, 0x2D, 0x2E, 0x45, 0x65].contains(byte)
  }
}

/// The objects of a JSON text that consist of a name and its value, such as `{"name": "a", "value":
/// "b"}`.
struct JSONPairs {
  static let keys: Set = ["name", "key", "field", "id", "label"]
  static let values: Set = ["value", "values", "content", "text", "defaultValue"]

  /// The name in each such object, by the place of the object.
  private(set) var names: [Int: String] = [:]

  /// - Parameter bytes: Valid JSON.
  init(_ bytes: [UInt8]) {
    // An object's place, or nil for an array, with its name and whether it has a value.
    var containers: [(place: Int?, member: String?, name: String?, hasValue: Bool)] = []
    var position = 0
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"):
        containers.append((position, nil, nil, false))
        position += 1
      case UInt8(ascii: "["):
        containers.append((nil, nil, nil, false))
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if let last = containers.popLast(), let place = last.place, last.hasValue {
          names[place] = last.name
        }
        position += 1
      case UInt8(ascii: ","):
        if let last = containers.indices.last { containers[last].member = nil }
        position += 1
      case UInt8(ascii: "\""):
        let token = JSONToken.string(at: &position, in: bytes)
        guard let last = containers.indices.last, containers[last].place != nil else { continue }
        if let member = containers[last].member {
          if Self.keys.contains(member), containers[last].name == nil {
            containers[last].name = JSONToken.text(of: token)
          }
        } else {
          let member = JSONToken.text(of: token)
          containers[last].member = member
          if Self.values.contains(member) { containers[last].hasValue = true }
        }
      default:
        position += 1
      }
    }
  }
}

/// The strings of valid JSON.
enum JSONToken {
  /// Returns the string at the position, with its quotes, and moves the position behind it.
  static func string(at position: inout Int, in bytes: [UInt8]) -> ArraySlice<UInt8> {
    let start = position
    position += 1
    while bytes[position] != UInt8(ascii: "\"") {
      position += bytes[position] == UInt8(ascii: "\\") ? 2 : 1
    }
    position += 1
    return bytes[start..<position]
  }

  static func text(of token: ArraySlice<UInt8>) -> String {
    guard token.contains(UInt8(ascii: "\\")) else {
      return String(decoding: token.dropFirst().dropLast(), as: UTF8.self)
    }
    return (try? JSONDecoder().decode(String.self, from: Data(token))) ?? ""
  }
}
