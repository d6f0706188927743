import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("Responses in memory", .leakFree)
struct MemoryCacheStoreTests {
  private let store = MemoryCacheStore(maxBytes: 8 * 2_000)
  private static let url = "https://h.example/"

  private func key(_ path: String, of partition: CachePartition = .anonymous) -> CacheKey {
    CacheKey(url: Self.url + path, partition: partition)
  }

  private func response(
    _ text: String = "x", bytes: Int = 1, varying: [String: String?] = [:]
  ) throws -> StoredResponse {
    StoredResponse(
      head: ResponseHead(url: try #require(URL(string: Self.url)), statusCode: 200),
      data: Data(String(repeating: text, count: bytes).utf8), requestTime: .distantPast,
      responseTime: .distantPast, varying: varying.mapValues { $0.map { ExactText($0) } })
  }

  private func texts(_ path: String) -> [String] {
    store.responses(for: key(path)).map { String(decoding: $0.data, as: UTF8.self) }
  }

  @Test("Stored responses are found, the latest first, one for each set of varying fields")
  func variants() throws {
    _ = store.keep(try response("a", varying: ["accept": "1"]), for: key("a"))
    _ = store.keep(try response("b", varying: ["accept": "2"]), for: key("a"))
    let replaced = store.keep(try response("c", varying: ["accept": "1"]), for: key("a"))
    #expect(texts("a") == ["c", "b"])
    #expect(replaced.map { String(decoding: $0.data, as: UTF8.self) } == ["a"])
    #expect(texts("b").isEmpty)
  }

  @Test("Of more than 32 variants the oldest is removed")
  func manyVariants() throws {
    let store = MemoryCacheStore(maxBytes: 1 << 20)
    for number in 0...32 {
      _ = store.keep(
        try response("\(number),", varying: ["accept": "\(number)"]), for: key("a"))
    }
    let kept = store.responses(for: key("a"))
    #expect(kept.count == 32)
    #expect(kept.last?.varying == ["accept": "1"])
  }

  @Test("If the variants of one key fill the cache, only the oldest are removed")
  func largeVariants() throws {
    for number in 0...8 {
      _ = store.keep(
        try response(bytes: 1_488, varying: ["accept": "\(number)"]), for: key("a"))
    }
    let kept = store.responses(for: key("a"))
    #expect(kept.count == 8)
    #expect(kept.first?.varying == ["accept": "8"])
    #expect(store.bytes == 16_000)
  }

  @Test("Without room the least recently used response is removed first")
  func room() throws {
    // Each has 512 bytes besides its body.
    for path in ["a", "b", "c", "d", "e", "f", "g", "h"] {
      _ = store.keep(try response(path, bytes: 1_488), for: key(path))
    }
    #expect(store.bytes == 16_000)
    _ = store.responses(for: key("a"))
    let gone = store.keep(try response("i", bytes: 1), for: key("i"))
    #expect(gone.count == 1)
    #expect(texts("b").isEmpty)
    #expect(!texts("a").isEmpty)
    #expect(store.bytes == 16_000 - 2_000 + 513)
  }

  @Test("A response larger than an eighth is not stored, and the one that it replaces is removed")
  func large() throws {
    _ = store.keep(try response("a"), for: key("a"))
    _ = store.keep(try response("b", bytes: 1_489), for: key("a"))
    #expect(texts("a").isEmpty)
    #expect(store.bytes == 0)
  }

  @Test("A long URL and long varying fields count as much as a body")
  func longTexts() throws {
    let store = MemoryCacheStore(maxBytes: 1 << 20)
    let long = String(repeating: "a", count: 10_000)
    let url = try #require(URL(string: Self.url + long))
    let response = StoredResponse(
      head: ResponseHead(url: url, statusCode: 200), data: Data(), requestTime: .distantPast,
      responseTime: .distantPast, varying: ["accept": ExactText(long)])
    _ = store.keep(response, for: key(long))
    #expect(store.bytes > 20_000)
  }

  @Test("One partition's responses are removed, and those of others stay")
  func partitions() throws {
    let ada = CachePartition(name: "ada", isLasting: false)
    _ = store.keep(try response("a"), for: key("a", of: ada))
    _ = store.keep(try response("b"), for: key("b", of: ada))
    _ = store.keep(try response("c"), for: key("a"))
    #expect(store.removeAll(of: ada).count == 2)
    #expect(store.responses(for: key("a", of: ada)).isEmpty)
    #expect(texts("a") == ["c"])
    #expect(store.removeAll().count == 1)
    #expect(texts("a").isEmpty)
    #expect(store.bytes == 0)
  }

  @Test("A target's responses are removed in all partitions, and those of other targets stay")
  func target() throws {
    let ada = CachePartition(name: "ada", isLasting: false)
    let grace = CachePartition(name: "grace", isLasting: false)
    for principal in [CachePartition.anonymous, ada, grace] {
      _ = store.keep(try response("a"), for: key("a", of: principal))
    }
    _ = store.keep(try response("b"), for: key("ab", of: ada))
    #expect(store.removeAll(at: Self.url + "a").count == 3)
    #expect(store.removeAll(at: Self.url + "a").isEmpty)
    #expect(texts("a").isEmpty)
    #expect(store.responses(for: key("a", of: grace)).isEmpty)
    #expect(store.responses(for: key("ab", of: ada)).count == 1)
  }

  /// The expected behavior of the store, in the simplest form.
  private struct Model {
    var uses: [(key: CacheKey, responses: [StoredResponse])] = []
    let maxBytes: Int

    var bytes: Int { uses.reduce(0) { $0 + $1.responses.reduce(0) { $0 + $1.size } } }

    mutating func take(_ key: CacheKey) -> [StoredResponse] {
      guard let place = uses.firstIndex(where: { $0.key == key }) else { return [] }
      return uses.remove(at: place).responses
    }

    mutating func takeAll(at url: String) {
      uses.removeAll { $0.key.url == url }
    }

    mutating func find(_ key: CacheKey) -> [StoredResponse] {
      let responses = take(key)
      if !responses.isEmpty { uses.append((key, responses)) }
      return responses
    }

    mutating func keep(_ response: StoredResponse, _ key: CacheKey) {
      let others = take(key).filter { $0.varying != response.varying }
      uses.append((key, [response] + others))
      while bytes > maxBytes { uses.removeFirst() }
    }
  }

  @Test("In a thousand orders the store behaves like a plain list", arguments: UInt64(0)..<1_000)
  func orders(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var model = Model(maxBytes: 8 * 2_000)
    for step in 0..<60 {
      let principal = CachePartition(
        name: Bool.random(using: &random) ? "ada" : "", isLasting: false)
      let key = key("\(Int.random(in: 0..<12, using: &random))", of: principal)
      switch Int.random(in: 0..<10, using: &random) {
      case 0..<6:
        let response = try response(
          "\(step),", bytes: Int.random(in: 1..<300, using: &random),
          varying: ["accept": "\(Int.random(in: 0..<2, using: &random))"])
        _ = store.keep(response, for: key)
        model.keep(response, key)
      case 6:
        _ = store.remove(key)
        _ = model.take(key)
      case 7:
        _ = store.removeAll(at: key.url)
        model.takeAll(at: key.url)
      default:
        #expect(store.responses(for: key).map(\.data) == model.find(key).map(\.data))
      }
      #expect(store.bytes == model.bytes)
    }
    for key in model.uses.map(\.key) {
      #expect(store.responses(for: key).map(\.data) == model.find(key).map(\.data))
    }
  }
}
