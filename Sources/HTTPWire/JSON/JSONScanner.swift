/// A scanner that checks bytes against RFC 8259 and finds one object or array in them, without
/// recursion or allocation.
///
/// It borrows the bytes, and must not outlive the closure that received them. Its methods take a
/// start position and return the position after the text that they read.
struct JSONScanner {
  let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  /// Checks the whole text and finds the object under the first member named `name`.
  ///
  /// - Parameters:
  ///   - name: The name of a member of the top-level object, in UTF-8 and without escapes.
  ///   - takesArrays: Whether the value may also be an array.
  /// - Returns: The range of that object; nil if the top level is not an object, has no such
  ///   member, or the first member of that name is not an object.
  func rangeOfObject(
    named name: [UInt8], orArray takesArrays: Bool
  ) throws(JSONSyntaxError) -> Range<Int>? {
    var search = Search.open
    var nesting = JSONNesting()
    var index = try skippingBlanks(from: startOfText())

    while true {
      // A value begins at `index`.
      guard index < bytes.count else { throw failure(at: index, expected: .value) }
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "\""):
        index = try endOfString(from: index + 1)
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        let isObject = byte == UInt8(ascii: "{")
        if search == .valueIsNext {
          search = isObject || takesArrays ? .inside(from: index) : .over(nil)
        }
        guard nesting.open(object: isObject) else {
          throw failure(at: index, expected: .shallowerNesting)
        }
        index = skippingBlanks(from: index + 1)
        if index < bytes.count, bytes[index] == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          break  // The end of an empty container is read below, like any other end.
        }
        if isObject {
          index = try startOfMemberValue(
            from: index, expected: .firstMemberName, named: name, nesting.depth, &search)
        }
        continue
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        index = try endOfNumber(from: index)
      case UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
        index = try endOfLiteral(from: index)
      default:
        throw failure(at: index, expected: .value)
      }
      if search == .valueIsNext { search = .over(nil) }

      // A value ended at `index`: read the ends of containers, up to the next value.
      while true {
        index = skippingBlanks(from: index)
        if nesting.depth == 0 {
          guard index == bytes.count else { throw failure(at: index, expected: .end) }
          guard case .over(let range) = search else { return nil }
          return range
        }
        let isInObject = nesting.isInObject
        let end = isInObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
        let expected = isInObject ? Expectation.commaOrObjectEnd : .commaOrArrayEnd
        guard index < bytes.count else { throw failure(at: index, expected: expected) }
        if bytes[index] == UInt8(ascii: ",") {
          index = skippingBlanks(from: index + 1)
          if index == bytes.count || bytes[index] != end {
            if isInObject {
              index = try startOfMemberValue(
                from: index, expected: .memberName, named: name, nesting.depth, &search)
            }
            break
          }
        }
        guard bytes[index] == end else { throw failure(at: index, expected: expected) }
        index += 1
        nesting.close()
        if nesting.depth == 1, case .inside(let start) = search { search = .over(start..<index) }
      }
    }
  }
}

extension JSONScanner {
  typealias Expectation = JSONSyntaxError.Expectation

  /// The progress of the search for the object.
  enum Search: Equatable {
    /// The name has not been seen at the top level.
    case open
    /// The name has just been read.
    case valueIsNext
    /// The object is open. It began at this position.
    case inside(from: Int)
    /// The object has ended, or the value under the name is not an object.
    case over(Range<Int>?)
  }

  /// Reads a member name, the colon and the blanks around it.
  @inline(__always)
  private func startOfMemberValue(
    from start: Int, expected: Expectation, named name: [UInt8], _ depth: Int,
    _ search: inout Search
  ) throws(JSONSyntaxError) -> Int {
    guard start < bytes.count, bytes[start] == UInt8(ascii: "\"") else {
      throw failure(at: start, expected: expected)
    }
    var index = try endOfString(from: start + 1)
    if depth == 1, search == .open, isString(in: start + 1..<index - 1, equalTo: name) {
      search = .valueIsNext
    }
    index = skippingBlanks(from: index)
    guard index < bytes.count, bytes[index] == UInt8(ascii: ":") else {
      throw failure(at: index, expected: .colon)
    }
    return skippingBlanks(from: index + 1)
  }

  /// Skips a byte order mark and refuses text that is not UTF-8 at all.
  private func startOfText() throws(JSONSyntaxError) -> Int {
    guard bytes.count > 0 else { throw failure(at: 0, expected: .value, found: .emptyBody) }
    guard bytes.count > 1 else { return 0 }
    switch (bytes[0], bytes[1]) {
    case (0xFE, 0xFF), (0xFF, 0xFE), (0, _), (_, 0):
      throw failure(at: 0, expected: .utf8, found: .wideText)
    case (0xEF, 0xBB) where bytes.count > 2 && bytes[2] == 0xBF:
      return 3
    default:
      return 0
    }
  }

  @inline(__always)
  private func skippingBlanks(from start: Int) -> Int {
    // Compact JSON has no blanks, so the common case is one comparison.
    guard start < bytes.count, bytes[start] <= 0x20 else { return start }
    return skippingRunOfBlanks(from: start)
  }

  @inline(never)
  private func skippingRunOfBlanks(from start: Int) -> Int {
    var index = start
    while index < bytes.count {
      switch bytes[index] {
      case 0x20:
        index += 1
        while index + 8 <= bytes.count, word(at: index) == 0x2020_2020_2020_2020 { index += 8 }
      case 0x0A, 0x0D, 0x09:
        index += 1
      default:
        return index
      }
    }
    return index
  }

  @inline(__always)
  private func skippingDigits(from start: Int) -> Int {
    var index = start
    while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 { index += 1 }
    return index
  }

  @inline(__always)
  private func endOfDigits(from start: Int) throws(JSONSyntaxError) -> Int {
    let index = skippingDigits(from: start)
    guard index > start else { throw failure(at: start, expected: .digit) }
    return index
  }

  /// Reads `-? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?`.
  @inline(__always)
  private func endOfNumber(from start: Int) throws(JSONSyntaxError) -> Int {
    let first = bytes[start] == UInt8(ascii: "-") ? start + 1 : start
    var index = try endOfDigits(from: first)
    if bytes[first] == UInt8(ascii: "0"), index > first + 1 {
      throw failure(at: first + 1, expected: .noLeadingZero)
    }
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index = try endOfDigits(from: index + 1)
    }
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < bytes.count,
        bytes[index] == UInt8(ascii: "+") || bytes[index] == UInt8(ascii: "-")
      {
        index += 1
      }
      index = try endOfDigits(from: index)
    }
    return index
  }

  /// Reads `true`, `false` or `null`.
  ///
  /// Its first letter has been checked.
  @inline(__always)
  private func endOfLiteral(from start: Int) throws(JSONSyntaxError) -> Int {
    let rest: StaticString =
      switch bytes[start] {
      case UInt8(ascii: "t"): "rue"
      case UInt8(ascii: "f"): "alse"
      default: "ull"
      }
    let end = start + 1 + rest.utf8CodeUnitCount
    for offset in 0..<rest.utf8CodeUnitCount {
      let index = start + 1 + offset
      guard index < bytes.count, bytes[index] == rest.utf8Start[offset] else {
        throw failure(at: index, expected: .literal)
      }
    }
    return end
  }

  /// Returns eight bytes, with the first in the lowest position.
  ///
  /// All must be within the text.
  @inline(__always)
  func word(at index: Int) -> UInt64 {
    UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
  }

  @inline(never)
  func failure(
    at offset: Int, expected: Expectation, found: JSONSyntaxError.Finding? = nil
  ) -> JSONSyntaxError {
    let before = bytes[..<offset]
    let lineFeed = UInt8(ascii: "\n")
    let line = before.reduce(1) { $0 + ($1 == lineFeed ? 1 : 0) }
    let column = offset - (before.lastIndex(of: lineFeed) ?? -1)
    let kind = offset < bytes.count ? JSONSyntaxError.Finding(bytes[offset]) : .endOfBody
    return JSONSyntaxError(
      offset: offset, line: line, column: column, expected: expected, found: found ?? kind)
  }
}

/// The open objects and arrays at one position of a document, one bit each.
///
/// It allocates memory only for more than 64 levels.
struct JSONNesting {
  /// The deepest nesting that Foundation's parsers accept.
  static let limit = 512

  private(set) var depth = 0
  private var kinds: UInt64 = 0
  private var outerKinds: [UInt64] = []

  /// Whether the innermost open container is an object.
  ///
  /// The value is undefined at depth zero.
  var isInObject: Bool { kinds & 1 == 1 }

  /// Opens a container, unless that would exceed ``limit``.
  ///
  /// - Returns: Whether the container was opened.
  mutating func open(object: Bool) -> Bool {
    guard depth < Self.limit else { return false }
    if depth > 0, depth.isMultiple(of: UInt64.bitWidth) { outerKinds.append(kinds) }
    kinds = kinds << 1 | (object ? 1 : 0)
    depth += 1
    return true
  }

  /// Closes the innermost container, which must exist.
  mutating func close() {
    depth -= 1
    kinds >>= 1
    if depth > 0, depth.isMultiple(of: UInt64.bitWidth) { kinds = outerKinds.removeLast() }
  }
}
