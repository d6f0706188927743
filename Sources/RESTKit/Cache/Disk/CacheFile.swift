import Foundation

/// The format of a cache's file, which contains all responses under one key, so that a look-up
/// opens one file.
///
/// The file begins with four letters, the version and three zeros. The digest of the rest follows.
/// The rest consists of the key, the number of responses, and the responses, latest first. Numbers
/// are little-endian, and texts and data follow their length. A version with another format has
/// another number.
enum CacheFile {
  private static let mark: [UInt8] = [0x52, 0x4b, 0x43, 0x46, version, 0, 0, 0]
  private static let version: UInt8 = 2
  private static let contentStart = 16

  /// The content of a file for a key.
  enum Content {
    case responses([StoredResponse])
    /// The file belongs to another key with the same digest.
    case ofAnotherKey
    case damaged
  }

  static func bytes(_ responses: [StoredResponse], for key: CacheKey) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size(ofKey: key) + responses.reduce(0) { $0 + size(of: $1) })
    bytes += mark
    append(UInt64(0), to: &bytes)
    append(key.url, to: &bytes)
    append(key.partition.name, to: &bytes)
    append(UInt32(responses.count), to: &bytes)
    for response in responses { append(response, to: &bytes) }
    let digest = ContentDigest.of(bytes, from: contentStart)
    for index in 0..<8 { bytes[8 + index] = UInt8(truncatingIfNeeded: digest >> (8 * index)) }
    return bytes
  }

  /// Returns the responses in a file, with their rules.
  static func content(_ bytes: [UInt8], for key: CacheKey) -> Content {
    do {
      var reader = CacheFileReader(bytes, from: 0)
      for byte in mark where try reader.number(UInt8.self) != byte { return .damaged }
      guard try reader.number() == ContentDigest.of(bytes, from: contentStart) else {
        return .damaged
      }
      let url = try reader.text()
      let partition = try reader.text()
      // The bytes are compared: texts that look the same are still two keys.
      guard url.utf8.elementsEqual(key.url.utf8),
        partition.utf8.elementsEqual(key.partition.name.utf8)
      else { return .ofAnotherKey }
      var responses: [StoredResponse] = []
      for _ in 0..<(try reader.number(UInt32.self)) { responses.append(try response(&reader)) }
      return reader.isAtEnd ? .responses(responses) : .damaged
    } catch {
      return .damaged
    }
  }

  /// Returns the size of a response in a file, in bytes.
  static func size(of response: StoredResponse) -> Int {
    let head = response.head
    var size = 49 + head.url.absoluteString.utf8.count + head.httpVersion.utf8.count
    for field in head.headers { size += 8 + field.name.utf8.count + field.value.utf8.count }
    for (name, value) in response.varying {
      size += 5 + name.utf8.count + (value.map { 4 + $0.text.utf8.count } ?? 0)
    }
    return size + response.data.count
  }

  /// Returns the size of a file without its responses, in bytes.
  static func size(ofKey key: CacheKey) -> Int {
    contentStart + 12 + key.url.utf8.count + key.partition.name.utf8.count
  }

  private static func append(_ response: StoredResponse, to bytes: inout [UInt8]) {
    let head = response.head
    append(head.url.absoluteString, to: &bytes)
    append(Int64(head.statusCode), to: &bytes)
    append(head.httpVersion, to: &bytes)
    append(UInt32(head.headers.count), to: &bytes)
    for field in head.headers {
      append(field.name, to: &bytes)
      append(field.value, to: &bytes)
    }
    append(response.requestTime.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
    append(response.responseTime.timeIntervalSinceReferenceDate.bitPattern, to: &bytes)
    bytes.append(response.isInvalidated ? 1 : 0)
    append(UInt32(response.varying.count), to: &bytes)
    for (name, value) in response.varying {
      append(name, to: &bytes)
      bytes.append(value == nil ? 0 : 1)
      if let value { append(value.text, to: &bytes) }
    }
    append(UInt64(response.data.count), to: &bytes)
    bytes += response.data
  }

  private static func response(
    _ reader: inout CacheFileReader
  ) throws(CacheFileReader.Damage) -> StoredResponse {
    guard let url = URL(string: try reader.text()),
      let status = Int(exactly: try reader.number(Int64.self))
    else { throw CacheFileReader.Damage() }
    let httpVersion = try reader.text()
    var headers = HTTPHeaders()
    for _ in 0..<(try reader.number(UInt32.self)) {
      headers.append(name: try reader.text(), value: try reader.text())
    }
    let requestTime = try reader.date()
    let responseTime = try reader.date()
    let isInvalidated = try reader.flag()
    var varying: [String: ExactText?] = [:]
    for _ in 0..<(try reader.number(UInt32.self)) {
      let name = try reader.text()
      varying.updateValue(try reader.flag() ? ExactText(try reader.text()) : nil, forKey: name)
    }
    let response = StoredResponse(
      head: ResponseHead(url: url, statusCode: status, httpVersion: httpVersion, headers: headers),
      data: try reader.data(), requestTime: requestTime, responseTime: responseTime,
      varying: varying, isInvalidated: isInvalidated)
    return response.readingRules
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    append(UInt32(truncatingIfNeeded: text.utf8.count), to: &bytes)
    bytes += text.utf8
  }

  private static func append(_ number: some FixedWidthInteger, to bytes: inout [UInt8]) {
    for index in 0..<(number.bitWidth / 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> (8 * index)))
    }
  }
}

/// The path of the responses under a key, relative to the cache's folder: `PARTITION/SHARD/KEY`.
///
/// Names are digests. Two keys with one name do no harm: a file has its key, and is a miss for
/// another key. The two only replace each other.
struct CacheFileName: Hashable, Sendable {
  let partition: UInt128
  let key: UInt128

  init(partition: UInt128, key: UInt128) {
    self.partition = partition
    self.key = key
  }

  init(_ key: CacheKey) {
    self.init(partition: Self.digest(key.partition.name), key: Self.digest(key.url))
  }

  /// Returns the folder of all responses of a principal.
  static func folder(_ partition: CachePartition) -> String { hex(digest(partition.name)) }

  var folder: String { Self.hex(partition) }
  /// One of 256 folders.
  ///
  /// They keep the number of names in each low enough for a fast file system.
  var shard: String { String(Self.hex(key).prefix(2)) }
  var path: String { Self.path(key, in: folder) }

  /// Returns the path of a target's file in the folder of a partition.
  static func path(of target: String, in folder: String) -> String {
    path(digest(target), in: folder)
  }

  private static func path(_ key: UInt128, in folder: String) -> String {
    let key = hex(key)
    return "\(folder)/\(key.prefix(2))/\(key)"
  }

  /// Returns a digest by FNV-1a with 128 bits, whose halves are mixed at the end: the last bytes
  /// alone reach only some bits.
  static func digest(_ text: String) -> UInt128 {
    var hash: UInt128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d
    for byte in text.utf8 {
      hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013b
    }
    hash ^= hash >> 64
    hash = hash &* 0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835
    return hash ^ (hash >> 64)
  }

  /// Returns the 32 digits of a digest.
  static func hex(_ digest: UInt128) -> String {
    String(unsafeUninitializedCapacity: 32) { buffer in
      for place in 0..<32 {
        let digit = UInt8(truncatingIfNeeded: digest >> (124 - 4 * place)) & 15
        buffer[place] = digit + (digit < 10 ? 0x30 : 0x57)
      }
      return 32
    }
  }

  /// Returns the digest with exactly these digits; nil for a name that this store does not use.
  static func digest(hex: String) -> UInt128? {
    guard hex.utf8.count == 32, let digest = UInt128(hex, radix: 16), Self.hex(digest) == hex
    else { return nil }
    return digest
  }
}

/// A digest that changes with any byte of a file.
///
/// It detects damage, not attacks: a process that can write to the folder can make a file with the
/// right digest. The reader's checks assume such a file.
enum ContentDigest {
  /// Returns the digest of the bytes from a position on, and of their number.
  ///
  /// Each step is invertible for any following bytes. So a change within one word is always
  /// detected, and another change is missed once in 2^64.
  static func of(_ bytes: [UInt8], from start: Int) -> UInt64 {
    bytes.withUnsafeBytes { buffer in
      var hash = mixed(0x9e37_79b9_7f4a_7c15, UInt64(max(0, buffer.count - start)))
      var place = start
      while place + 8 <= buffer.count {
        let word = buffer.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        hash = mixed(hash, UInt64(littleEndian: word))
        place += 8
      }
      var rest: UInt64 = 0
      while place < buffer.count {
        rest = rest << 8 | UInt64(buffer[place])
        place += 1
      }
      hash = mixed(hash, rest)
      return hash ^ (hash >> 32)
    }
  }

  private static func mixed(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    let product = (hash ^ word) &* 0x9fb2_1c65_1e98_df25
    return product << 29 | product >> 35
  }
}

/// A reader of a file that may be damaged.
///
/// It compares each length with the remaining bytes before it uses the length.
private struct CacheFileReader {
  /// The error of bytes that this version does not write.
  struct Damage: Error {}

  private let bytes: [UInt8]
  private var place: Int

  init(_ bytes: [UInt8], from place: Int) {
    self.bytes = bytes
    self.place = place
  }

  var isAtEnd: Bool { place == bytes.count }

  mutating func number<Number: FixedWidthInteger>(
    _ type: Number.Type = Number.self
  ) throws(Damage) -> Number {
    var number: UInt64 = 0
    for (index, byte) in try slice(MemoryLayout<Number>.size).enumerated() {
      number |= UInt64(byte) << (8 * index)
    }
    return Number(truncatingIfNeeded: number)
  }

  mutating func flag() throws(Damage) -> Bool {
    switch try number(UInt8.self) {
    case 0: return false
    case 1: return true
    default: throw Damage()
    }
  }

  mutating func text() throws(Damage) -> String {
    let count = try number(UInt32.self)
    guard let text = String(validating: try slice(count), as: UTF8.self) else { throw Damage() }
    return text
  }

  /// Returns bytes with memory of their own, so that a stored part does not keep the whole file in
  /// memory.
  mutating func data() throws(Damage) -> Data {
    Data(try slice(number(UInt64.self)))
  }

  mutating func date() throws(Damage) -> Date {
    let date = Date(timeIntervalSinceReferenceDate: Double(bitPattern: try number()))
    // Calendars do not support later dates, and would trap.
    guard abs(date.timeIntervalSinceReferenceDate) < 1e11 else { throw Damage() }
    return date
  }

  private mutating func slice(_ count: some BinaryInteger) throws(Damage) -> ArraySlice<UInt8> {
    guard let count = Int(exactly: count), count <= bytes.count - place else { throw Damage() }
    defer { place += count }
    return bytes[place..<place + count]
  }
}
