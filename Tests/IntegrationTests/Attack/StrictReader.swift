import Foundation

/// A reader of one response to a GET, strictly by RFC 9112, over a connection that ends.
///
/// The reader accepts everything that the RFC lets a recipient accept: a line feed as a line's end
/// (§2.2), folded lines except for `Transfer-Encoding` (§5.2), and extra spaces in the status line
/// (§4). It makes no statement about bodies that it cannot decompress.
struct StrictReader {
  enum Reading: Equatable {
    case response(Int, Data)
    /// A response, whose body this reader cannot unpack.
    case packed(Int)
    case refused(String)
  }

  private struct Refusal: Error { let reason: String }

  private var rest: ArraySlice<UInt8>
  private let endsInOrder: Bool

  /// - Parameter endsInOrder: Whether a close ends the connection, and not a reset.
  static func read(_ bytes: [UInt8], endsInOrder: Bool) -> Reading {
    var reader = StrictReader(rest: bytes[...], endsInOrder: endsInOrder)
    do {
      return try reader.message()
    } catch let error as Refusal {
      return .refused(error.reason)
    } catch {
      return .refused("\(error)")
    }
  }

  private mutating func message() throws -> Reading {
    var (status, fields) = try head()
    while 100..<200 ~= status {
      guard status != 101 else { throw Refusal(reason: "101") }
      (status, fields) = try head()
    }
    let body = try Array(body(status, fields))
    let codings = fields.filter { $0.name == "content-encoding" }
      .flatMap { $0.value.split(separator: ",") }
      .map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
      .filter { !$0.isEmpty && $0 != "identity" }
    if codings.isEmpty || body.isEmpty && (status == 204 || status == 304) {
      return .response(status, Data(body))
    }
    guard codings == ["gzip"], let plain = try Self.unpacked(body) else { return .packed(status) }
    return .response(status, Data(plain))
  }

  // MARK: Heads

  private mutating func line() throws -> [UInt8] {
    guard let end = rest.firstIndex(of: 10) else { throw Refusal(reason: "a line has no end") }
    var line = rest[rest.startIndex..<end]
    rest = rest[(end + 1)...]
    if line.last == 13 { line.removeLast() }
    guard !line.contains(13) else { throw Refusal(reason: "a bare CR") }
    guard !line.contains(0) else { throw Refusal(reason: "a NUL") }
    return Array(line)
  }

  private mutating func head() throws -> (Int, [(name: String, value: String)]) {
    let line = try line()
    guard line.starts(with: Array("HTTP/1.".utf8)), line.count > 8, isDigit(line[7]),
      line[8] == 32
    else { throw Refusal(reason: "no status line") }
    let words = line[9...].drop { $0 == 32 }
    let digits = words.prefix { $0 != 32 }
    guard digits.count == 3, digits.allSatisfy(isDigit), digits.first != 0x30,
      let status = Int(String(decoding: digits, as: UTF8.self))
    else { throw Refusal(reason: "no status") }
    return (status, try fields())
  }

  private mutating func fields() throws -> [(name: String, value: String)] {
    var fields: [(name: String, value: String)] = []
    while case let line = try line(), !line.isEmpty {
      if line[0] == 32 || line[0] == 9 {
        guard let last = fields.last, last.name != "transfer-encoding" else {
          throw Refusal(reason: "a folded line that must not be")
        }
        fields[fields.count - 1].value += " " + trimmed(line[...])
        continue
      }
      guard let colon = line.firstIndex(of: 0x3A), colon > 0,
        line[..<colon].allSatisfy(Self.isTokenByte)
      else { throw Refusal(reason: "no field line") }
      let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
      fields.append((name, trimmed(line[(colon + 1)...])))
    }
    return fields
  }

  private func trimmed(_ bytes: ArraySlice<UInt8>) -> String {
    let text = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    return text.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
  }

  private func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
      || "!#$%&'*+-.^_`|~".utf8.contains(byte)
  }

  // MARK: Bodies

  private mutating func body(
    _ status: Int, _ fields: [(name: String, value: String)]
  ) throws -> ArraySlice<UInt8> {
    let codings = fields.filter { $0.name == "transfer-encoding" }.map { $0.value.lowercased() }
    let length = try length(fields.filter { $0.name == "content-length" }.map(\.value))
    guard codings.isEmpty || codings == ["chunked"] else {
      throw Refusal(reason: "a transfer coding that is not chunked")
    }
    if status == 204 || status == 304 { return [] }
    if !codings.isEmpty { return try chunks() }
    if let length { return try take(length) }
    guard endsInOrder else { throw Refusal(reason: "a reset in a body") }
    return rest
  }

  private func length(_ values: [String]) throws -> Int? {
    let parts = values.flatMap { $0.components(separatedBy: ",") }
      .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) }
    let lengths = Set(
      try parts.map { part in
        guard !part.isEmpty, part.utf8.allSatisfy(isDigit), let length = Int(part) else {
          throw Refusal(reason: "no length")
        }
        return length
      })
    guard lengths.count < 2 else { throw Refusal(reason: "two lengths") }
    return lengths.first
  }

  private mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
    guard rest.count >= count else { throw Refusal(reason: "cut short") }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  private mutating func chunks() throws -> ArraySlice<UInt8> {
    var body: [UInt8] = []
    while true {
      let line = try line()
      let digits = line.prefix { Self.hexadecimal($0) != nil }
      let extensions = line[digits.endIndex...].drop { $0 == 32 || $0 == 9 }
      guard !digits.isEmpty, extensions.isEmpty || extensions.first == 0x3B,
        let size = Int(String(decoding: digits, as: UTF8.self), radix: 16)
      else { throw Refusal(reason: "no chunk size") }
      if size == 0 { break }
      body += try take(size)
      guard try self.line().isEmpty else { throw Refusal(reason: "a chunk past its size") }
    }
    // RFC 9112 §8: complete after the last chunk. A trailer does not change the body.
    return body[...]
  }

  private static func hexadecimal(_ byte: UInt8) -> Int? {
    Character(Unicode.Scalar(byte)).hexDigitValue
  }

  // MARK: Codings

  /// The content of members of stored blocks; nil if there are other blocks.
  private static func unpacked(_ packed: [UInt8]) throws -> [UInt8]? {
    var rest = packed[...]
    var plain: [UInt8] = []
    repeat {
      let head = rest.prefix(10)
      guard head.count == 10, Array(head.prefix(3)) == [0x1F, 0x8B, 8] else {
        throw Refusal(reason: "no gzip")
      }
      // Names, comments and the like.
      guard head[head.startIndex + 3] == 0 else { return nil }
      rest = rest.dropFirst(10)
      guard rest.count >= 5 else { throw Refusal(reason: "gzip cut short") }
      guard rest.first == 1 else { return nil }
      let numbers = Array(rest.prefix(5))
      let count = Int(numbers[1]) | Int(numbers[2]) << 8
      guard rest.count >= 13 + count else { throw Refusal(reason: "gzip cut short") }
      let data = Array(rest.dropFirst(5).prefix(count))
      let member = PackedBytes.gzip(of: data).dropFirst(10)
      guard Array(rest.prefix(13 + count)) == Array(member) else {
        throw Refusal(reason: "gzip that is broken")
      }
      plain += data
      rest = rest.dropFirst(13 + count)
      // Bytes behind the last member belong to nothing, but one may be the beginning of another.
    } while rest.starts(with: [0x1F, 0x8B])
    guard Array(rest) != [0x1F] else { throw Refusal(reason: "gzip cut short") }
    return plain
  }
}
