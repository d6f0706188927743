import Foundation
import RESTKit

/// The numbers of a document that JSON values would write in another way, as the document has them.
///
/// A `JSONValue` has 64 bits for a number. Digits beyond these would get lost, and so would a zero
/// at the end.
struct HARNumbers: Sendable, Equatable {
  /// A step from a value to a value in it.
  enum Step: Sendable, Hashable {
    case name(String)
    case index(Int)
  }

  private struct Number: Sendable, Equatable {
    let text: String
    /// The value in the document.
    let value: Double
  }

  private var numbers: [[Step]: Number] = [:]

  init() {}

  /// Reads the numbers of a document.
  ///
  /// - Parameter data: The document. Numbers that fit no `Double` are zero in it afterwards.
  init(_ data: inout Data) {
    var scan = HARNumberScan(data)
    var draft = Data()
    var copied = data.startIndex
    while let (path, range) = scan.next() {
      let text = String(decoding: data[range], as: UTF8.self)
      guard Int64(text)?.description != text, let value = Double(text) else { continue }
      let isHeld = value.isFinite && (value != 0 || !text.contains(/^[^eE]*[1-9]/))
      if isHeld, value.description == text, !text.contains("e"), !text.hasSuffix(".0") { continue }
      numbers[path] = Number(text: text, value: isHeld ? value : 0)
      guard !isHeld else { continue }
      draft += data[copied..<range.lowerBound] + Data("0".utf8)
      copied = range.upperBound
    }
    if copied > data.startIndex { data = draft + data[copied...] }
  }

  var isEmpty: Bool { numbers.isEmpty }

  /// Removes and returns the numbers in the elements of the array under these names, by their
  /// indices and with the paths from the elements.
  mutating func takeElements(under names: String...) -> [Int: HARNumbers] {
    let prefix = names.map(Step.name)
    var taken: [Int: HARNumbers] = [:]
    for (path, number) in numbers where path.starts(with: prefix) {
      guard path.count > prefix.count, case .index(let index) = path[prefix.count] else { continue }
      taken[index, default: HARNumbers()].numbers[Array(path.dropFirst(prefix.count + 1))] = number
      numbers[path] = nil
    }
    return taken
  }

  /// Returns the value with a text of this mark and the number's digits in place of each number.
  func marked(_ value: JSONValue, by mark: String) -> JSONValue {
    marked(value, by: mark, at: [])
  }

  // The depth is at most that of a document that Foundation's parser accepts, 512.
  private func marked(_ value: JSONValue, by mark: String, at path: [Step]) -> JSONValue {
    switch value {
    case .array(let elements):
      .array(elements.enumerated().map { marked($1, by: mark, at: path + [.index($0)]) })
    case .object(let members):
      .object(
        Dictionary(
          uniqueKeysWithValues: members.map {
            ($0, marked($1, by: mark, at: path + [.name($0)]))
          }))
    case .integer, .number:
      // Of members with one name, another one may have become the value.
      numbers[path].flatMap { $0.value == value.number ? .string(mark + $0.text) : nil } ?? value
    case .null, .bool, .string: value
    }
  }

  /// Returns JSON with numbers in place of the texts that ``marked(_:by:)`` has made.
  static func unmarked(_ json: Data, mark: String) -> Data {
    let quote = Data("\"".utf8)
    var (result, rest) = (Data(), json[...])
    while let start = rest.range(of: quote + Data(mark.utf8)) {
      let number = rest[start.upperBound...].prefix { $0 != quote[0] }
      result += rest[..<start.lowerBound] + number
      rest = rest[number.endIndex...].dropFirst()
    }
    return result + rest
  }
}

/// A walk over the numbers of a JSON document, in their order.
///
/// In bytes that are no JSON it finds some ranges or none.
private struct HARNumberScan {
  /// The place in an open object or array.
  ///
  /// A name is nil where the next text is one.
  private enum Place {
    case member(String?)
    case element(Int)
  }

  private let data: Data
  private var index: Data.Index
  private var places: [Place] = []

  init(_ data: Data) {
    self.data = data
    index = data.startIndex
  }

  mutating func next() -> (path: [HARNumbers.Step], range: Range<Data.Index>)? {
    while index < data.endIndex {
      let start = index
      index += 1
      switch data[start] {
      case UInt8(ascii: "{"): places.append(.member(nil))
      case UInt8(ascii: "["): places.append(.element(0))
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = places.popLast()
      case UInt8(ascii: ","): advance()
      case UInt8(ascii: "\""):
        skipText()
        if case .member(nil)? = places.last {
          let name = try? JSONDecoder().decode(String.self, from: data[start..<index])
          places[places.count - 1] = .member(name ?? "")
        }
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        index = data[index...].firstIndex { !Self.isPartOfNumber($0) } ?? data.endIndex
        return (path, start..<index)
      default: break
      }
    }
    return nil
  }

  private var path: [HARNumbers.Step] {
    places.map { place in
      switch place {
      case .member(let name): .name(name ?? "")
      case .element(let index): .index(index)
      }
    }
  }

  private mutating func advance() {
    switch places.popLast() {
    case .member: places.append(.member(nil))
    case .element(let index): places.append(.element(index + 1))
    case nil: break
    }
  }

  /// Skips the rest of a text.
  private mutating func skipText() {
    while index < data.endIndex {
      let byte = data[index]
      index += byte == UInt8(ascii: "\\") ? min(2, data.endIndex - index) : 1
      if byte == UInt8(ascii: "\"") { return }
    }
  }

  private static func isPartOfNumber(_ byte: UInt8) -> Bool {
    UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "+-.eE".utf8.contains(byte)
  }
}
