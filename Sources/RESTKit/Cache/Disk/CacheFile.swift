import Foundation

/// The format of a cache's file, which contains all responses under one key, so that a look-up opens
/// one file.
///
/// The file begins with four letters, the version and three zeros. The digest of the rest follows. The
/// rest consists of the key, the number of responses, and the responses, latest first. Numbers are
/// little-endian, and texts and data follow their length. A version with another format has another
/// number.
enum CacheFile {
  private static let mark: [UInt8] = [0x52, 0x4b, 0x43, 0x46, version, 0, 0, 0]
  private static let version: UInt8 = 1
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
      size += 5 + name.utf8.count + (value.map { 4 + $0.utf8.count } ?? 0)
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
      if let value { append(value, to: &bytes) }
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
    var varying: [String: String?] = [:]
    for _ in 0..<(try reader.number(UInt32.self)) {
      let name = try reader.text()
      varying.updateValue(try reader.flag() ? try reader.text() : nil, forKey: name)
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
