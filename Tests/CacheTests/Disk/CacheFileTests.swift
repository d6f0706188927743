import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The content of a cache file")
struct CacheFileTests {
  private let key = CacheKey.number(1, of: .anna)

  private func bytes() throws -> [UInt8] {
    CacheFile.bytes(
      [
        try .text("body", varying: ["accept": "a", "b": nil], headers: ["ETag": "\"1\""]),
        try .text(""),
      ], for: key)
  }

  private func parts(_ bytes: [UInt8]) -> [[String]]? {
    guard case .responses(let responses) = CacheFile.content(bytes, for: key) else { return nil }
    return responses.map(\.parts)
  }

  /// With the digest that belongs to the bytes, as who wants to harm would make it.
  private func sealed(_ bytes: [UInt8]) -> [UInt8] {
    var sealed = bytes
    let digest = ContentDigest.of(bytes, from: 16)
    for index in 0..<8 where bytes.count >= 16 {
      sealed[8 + index] = UInt8(truncatingIfNeeded: digest >> (8 * index))
    }
    return sealed
  }

  @Test("A file begins with its mark and its version, and its size is known in advance")
  func format() throws {
    let responses = [
      try StoredResponse.text("body", varying: ["accept": "a", "b": nil], headers: ["ETag": "1"]),
      try .text(""),
    ]
    let bytes = CacheFile.bytes(responses, for: key)
    #expect(bytes.prefix(8) == [0x52, 0x4b, 0x43, 0x46, 2, 0, 0, 0])
    #expect(
      bytes.count
        == responses.reduce(CacheFile.size(ofKey: key)) { $0 + CacheFile.size(of: $1) })
    #expect(parts(bytes) == responses.map(\.parts))
    #expect(sealed(bytes) == bytes)
  }

  @Test("A file with any bit flipped is damaged")
  func flips() throws {
    let whole = try bytes()
    for index in whole.indices {
      for bit in 0..<8 {
        var damaged = whole
        damaged[index] ^= 1 << bit
        #expect(parts(damaged) == nil, "byte \(index), bit \(bit)")
      }
    }
  }

  @Test("A truncated or extended file is damaged")
  func cuts() throws {
    let whole = try bytes()
    for count in whole.indices { #expect(parts(Array(whole.prefix(count))) == nil) }
    #expect(parts(whole + [0]) == nil)
    #expect(parts(sealed(whole + [0])) == nil)
    #expect(parts([UInt8](repeating: 0, count: whole.count)) == nil)
  }

  @Test("Hostile bytes with the right digest are read without harm")
  func hostile() throws {
    let whole = try bytes()
    for index in 16..<whole.count {
      for byte in [0, 1, 0x7f, 0x80, 0xff] as [UInt8] {
        var hostile = whole
        hostile[index] = byte
        _ = CacheFile.content(sealed(hostile), for: key)
      }
      // A length or a count that no memory could hold.
      for width in [4, 8] where index + width <= whole.count {
        var hostile = whole
        hostile.replaceSubrange(index..<index + width, with: repeatElement(0xff, count: width))
        _ = CacheFile.content(sealed(hostile), for: key)
      }
    }
    for count in 16..<whole.count {
      #expect(parts(sealed(Array(whole.prefix(count)))) == nil, "cut at \(count)")
    }
  }

  @Test("Random bytes after a valid head are read without harm")
  func random() throws {
    var generator = SeededGenerator(seed: 7)
    let whole = try bytes()
    let url: URL = try #require(URL(string: key.url))
    let request = CacheRequest(method: .get, url: url, fields: [:])
    for _ in 0..<3_000 {
      var hostile = whole
      for _ in 0..<Int.random(in: 1...12, using: &generator) {
        hostile[Int.random(in: 16..<whole.count, using: &generator)] = .random(
          in: 0...255, using: &generator)
      }
      guard case .responses(let responses) = CacheFile.content(sealed(hostile), for: key) else {
        continue
      }
      let now = Date(timeIntervalSince1970: 1_800_000_000)
      // The result can be used like any other response.
      switch CacheDecision(request, stored: responses, now: now) {
      case .fresh(let answer), .stale(let answer, _): _ = answer.head
      default: break
      }
    }
  }

  @Test(
    "A time that no calendar has is damage",
    arguments: [Double.nan, .infinity, -.infinity, 1e11, -1e300])
  func times(seconds: Double) throws {
    var response = try StoredResponse.text("1")
    response.responseTime = Date(timeIntervalSinceReferenceDate: seconds)
    #expect(parts(CacheFile.bytes([response], for: key)) == nil)
  }

  @Test("Another version is damage, with any content")
  func version() throws {
    for version: UInt8 in [0, 1, 3] {
      var bytes = try bytes()
      bytes[4] = version
      #expect(parts(sealed(bytes)) == nil)
    }
  }

  @Test("A file names its key, so another key with the same name gets nothing")
  func otherKey() throws {
    let bytes = try bytes()
    for other in [
      CacheKey.number(1), .number(2, of: .anna), CacheKey(url: "", partition: .anonymous),
    ] {
      guard case .ofAnotherKey = CacheFile.content(bytes, for: other) else {
        Issue.record("\(other)")
        continue
      }
    }
  }

  @Test("Similar texts are two keys")
  func lookAlike() throws {
    let composed = CacheKey(url: "https://h.example/\u{e9}", partition: .anonymous)
    let decomposed = CacheKey(url: "https://h.example/e\u{301}", partition: .anonymous)
    let bytes = CacheFile.bytes([try .text("1")], for: composed)
    guard case .ofAnotherKey = CacheFile.content(bytes, for: decomposed) else {
      Issue.record("the other key's responses")
      return
    }
  }
}

@Suite("The names of cache files")
struct CacheFileNameTests {
  @Test("Names are the same in every process and version")
  func fixed() {
    // Else an update of the app would lose the cache.
    #expect(CacheFileName.hex(CacheFileName.digest("")) == "d39dc233da755cdc40c082acce662a07")
    let name = CacheFileName(.number(1, of: .anna))
    #expect(name.folder == "01921c2244322c58bf6ec3129ce93ee4")
    #expect(name.shard == "e4")
    #expect(name.path == "\(name.folder)/\(name.shard)/e442e19096c545c5e7a8fa763dde7545")
  }

  @Test("Names of many keys differ, and spread evenly over the folders")
  func spread() {
    let names = (0..<20_000).map { CacheFileName(.number($0)) }
    #expect(Set(names).count == names.count)
    let shards = Dictionary(grouping: names, by: \.shard)
    #expect(shards.count == 256)
    #expect(shards.values.allSatisfy { (30...140).contains($0.count) })
    #expect(shards.keys.allSatisfy { $0.count == 2 })
  }

  @Test("A digest is read from its own digits, and from no others")
  func digits() {
    let digest = CacheFileName.digest("a")
    let hex = CacheFileName.hex(digest)
    #expect(hex.count == 32)
    #expect(CacheFileName.digest(hex: hex) == digest)
    #expect(CacheFileName.hex(5) == String(repeating: "0", count: 31) + "5")
    for other in [
      "", String(hex.dropLast()), hex + "0", "+" + hex.dropFirst(), "G" + hex.dropFirst(),
      CacheFileName.hex(.max).uppercased(), ".new",
    ] {
      #expect(CacheFileName.digest(hex: other) == nil, "\(other)")
    }
  }
}
