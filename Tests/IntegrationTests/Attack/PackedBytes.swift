/// Bodies in content codings, made by hand: tests have no packer, and an attacker's is a better
/// one.
enum PackedBytes {
  /// One member of gzip, its data stored as they are.
  static func gzip(_ text: String) -> [UInt8] { gzip(of: Array(text.utf8)) }

  /// One member of gzip, its data stored as they are.
  static func gzip(of data: [UInt8]) -> [UInt8] {
    gzipHead + [1] + little(UInt32(data.count), 2) + little(~UInt32(data.count), 2) + data
      + little(checksum(data), 4) + little(UInt32(data.count), 4)
  }

  /// A member of gzip without data.
  static let emptyMember: [UInt8] = gzipHead + [3, 0, 0, 0, 0, 0, 0, 0, 0, 0]

  /// A block of deflate without data, which begins and ends at a whole byte.
  static let emptyBlock: [UInt8] = [0, 0, 0, 0xFF, 0xFF]

  static let gzipHead: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
  static let zlibHead: [UInt8] = [0x78, 1]

  /// Bytes that begin somehow, and then repeat without end.
  struct Endless: Sendable {
    var start: [UInt8]
    /// The repeated bytes, which may be many times the smallest repeated part.
    var unit: [UInt8]

    /// So many bytes of it.
    func prefix(_ count: Int) -> [UInt8] {
      var bytes = start
      while bytes.count < count { bytes += unit }
      return Array(bytes.prefix(count))
    }

    /// The same, packed some 140 times smaller, in one coding whose head is given.
    ///
    /// One block of deflate with the fixed codes, which never ends: its literals, and then for ever
    /// "the last 258 bytes again, from so far back".
    func packed(_ head: [UInt8]) -> Endless {
      var bits = BitWriter()
      bits.put(0, 1)
      bits.put(1, 2)
      for byte in start + unit { bits.putLiteral(byte) }
      let literals = bits.bytes.count
      // Enough for the bits of all of them to end at a whole byte, again and again.
      let period = 56
      for _ in 0..<(2 * period) { bits.putAgain(from: unit.count) }
      let first = literals + 1
      let length = BitWriter.bitsOfAgain(from: unit.count) * period / 8
      let repeated = Array(bits.bytes[first..<(first + length)])
      return Endless(start: head + bits.bytes[..<first], unit: repeated)
    }
  }

  /// Writes bits as deflate has them (RFC 1951 §3.1.1).
  private struct BitWriter {
    private(set) var bytes: [UInt8] = []
    private var free = 0

    mutating func put(_ value: Int, _ count: Int) {
      for index in 0..<count {
        if free == 0 {
          bytes.append(0)
          free = 8
        }
        if value >> index & 1 == 1 { bytes[bytes.count - 1] |= 1 << UInt8(8 - free) }
        free -= 1
      }
    }

    /// A code of Huffman, whose first bit is the highest.
    private mutating func putCode(_ code: Int, _ count: Int) {
      for index in (0..<count).reversed() { put(code >> index & 1, 1) }
    }

    mutating func putLiteral(_ byte: UInt8) {
      byte < 144 ? putCode(0x30 + Int(byte), 8) : putCode(0x190 + Int(byte) - 144, 9)
    }

    /// 258 bytes from so far back, 5...8 or 17...24.
    mutating func putAgain(from distance: Int) {
      putCode(0xC5, 8)
      let (code, base, extra) = Self.distance(distance)
      putCode(code, 5)
      put(distance - base, extra)
    }

    static func bitsOfAgain(from distance: Int) -> Int { 13 + Self.distance(distance).extra }

    /// RFC 1951 §3.2.5.
    private static func distance(_ value: Int) -> (code: Int, base: Int, extra: Int) {
      let bases = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025,
      ]
      let code = (bases.firstIndex { $0 > value } ?? bases.count) - 1
      return (code, bases[code], code < 4 ? 0 : code / 2 - 1)
    }
  }

  private static func little(_ value: UInt32, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt32($0))) }
  }

  /// CRC-32, as gzip has it (RFC 1952 §8).
  private static func checksum(_ data: [UInt8]) -> UInt32 {
    ~data.reduce(UInt32.max) { sum, byte in
      (0..<8).reduce(sum ^ UInt32(byte)) { sum, _ in sum >> 1 ^ (sum & 1 == 1 ? 0xEDB8_8320 : 0) }
    }
  }
}
