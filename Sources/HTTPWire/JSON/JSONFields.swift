import Foundation

/// The simple values of a JSON object, each with its path.
///
/// Numbers keep their digits, which a `Double` would not. The text is read from the left, without
/// recursion.
struct JSONFields {
  private struct Container {
    let isObject: Bool
    /// The number of the next element.
    var index = 0
    var isAtName = true
  }

  private let bytes: [UInt8]
  private var position = 0
  private var containers: [Container] = []
  private var path: [FieldNaming.Step] = []
  private var fields: [(path: [FieldNaming.Step], value: String)] = []

  /// Returns the values in the order of their paths, so that the same value always gives the same
  /// fields.
  ///
  /// - Parameter json: Valid JSON.
  /// - Returns: nil if the text is no object.
  static func sorted(in json: Data) -> [(path: [FieldNaming.Step], value: String)]? {
    guard json.first == UInt8(ascii: "{") else { return nil }
    var reader = JSONFields(bytes: Array(json))
    reader.run()
    return reader.fields.sorted { $0.path.lexicographicallyPrecedes($1.path) }
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func run() {
    while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        beginElement()
        containers.append(Container(isObject: bytes[position] == UInt8(ascii: "{")))
        position += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        containers.removeLast()
        position += 1
        endValue()
      case UInt8(ascii: "\""):
        let text = JSONToken.text(of: JSONToken.string(at: &position, in: bytes))
        if containers[containers.count - 1].isObject, containers[containers.count - 1].isAtName {
          containers[containers.count - 1].isAtName = false
          path.append(.member(text))
        } else {
          add(text)
        }
      case let byte where byte.isASCIIDigit || byte == UInt8(ascii: "-") || byte.isASCIILetter:
        let start = position
        while position < bytes.count, !Self.endsWord.contains(bytes[position]) { position += 1 }
        let word = String(decoding: bytes[start..<position], as: UTF8.self)
        if word == "null" { skip() } else { add(word) }
      default:
        position += 1
      }
    }
  }

  private static let endsWord = Set(",]} \t\r\n".utf8)

  /// Steps into the next element, if the innermost container is an array.
  private mutating func beginElement() {
    guard let last = containers.last, !last.isObject else { return }
    path.append(.element(last.index))
    containers[containers.count - 1].index += 1
  }

  /// Steps out of a member or an element.
  private mutating func endValue() {
    guard !containers.isEmpty else { return }
    path.removeLast()
    containers[containers.count - 1].isAtName = true
  }

  private mutating func add(_ value: String) {
    beginElement()
    fields.append((path, value))
    endValue()
  }

  private mutating func skip() {
    beginElement()
    endValue()
  }
}

extension QueryItems {
  /// Creates the list of a value's members, sorted by name.
  ///
  /// ```swift
  /// let filter = Filter(states: ["open", "paid"], customer: Customer(id: 7))
  /// QueryItems(encoding: filter)   // customer[id]=7&states[]=open&states[]=paid
  /// ```
  ///
  /// An absent value and `null` are left out, and so is an empty array. `true` and `false` are
  /// written as in JSON, and numbers keep all their digits.
  ///
  /// - Parameters:
  ///   - value: A value that is encoded as an object.
  ///   - encoder: The encoder, which says how to write dates and names.
  ///   - naming: How names say where nested values are.
  /// - Throws: The encoder's error; `EncodingError` if the value is encoded as no object.
  public init(
    encoding value: some Encodable, encoder: JSONEncoder = JSONEncoder(),
    naming: FieldNaming = .brackets
  ) throws {
    guard let fields = JSONFields.sorted(in: try encoder.encode(value)) else {
      throw EncodingError.invalidValue(
        value,
        EncodingError.Context(
          codingPath: [],
          debugDescription: "\(type(of: value)) is not encoded as an object, so its values have no "
            + "names. Encode a type with members."))
    }
    self.init(fields.lazy.map { (naming.name(of: $0.path), $0.value) })
  }
}
