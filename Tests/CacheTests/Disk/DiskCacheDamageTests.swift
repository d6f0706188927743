import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("A damaged cache file is a miss, and is removed")
struct DiskCacheDamageTests {
  private let key = CacheKey.number(1)

  /// A store with one response on the disk, and the bytes of its file.
  private func written(_ bench: DiskBench) throws -> (store: DiskCacheStore, bytes: Data) {
    let store = try bench.store()
    store.keep(try .text("body", headers: ["ETag": "\"1\""]), for: key)
    bench.work.runAll()
    return (store, try Data(contentsOf: bench.file(key)))
  }

  @Test("A changed byte and a cut anywhere are damage")
  func damage() throws {
    let bench = try DiskBench()
    let (store, bytes) = try written(bench)
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 0x55
      for damaged in [flipped, bytes.prefix(index)] {
        try damaged.write(to: bench.file(key))
        #expect(store.texts(key).isEmpty, "byte \(index)")
        #expect(bench.work.count == 1)
        bench.work.runAll()
        #expect(!bench.exists(key))
      }
    }
    #expect(bench.failures.all.isEmpty)
  }

  @Test("A whole file that replaced the damaged one in the meantime stays")
  func replaced() throws {
    let bench = try DiskBench()
    let (store, bytes) = try written(bench)
    try Data("damaged".utf8).write(to: bench.file(key))
    #expect(store.texts(key).isEmpty)
    try bytes.write(to: bench.file(key))
    bench.work.runAll()
    #expect(store.texts(key) == ["body"])
  }

  @Test("Storing over a damaged file writes a whole one")
  func keepOver() throws {
    let bench = try DiskBench()
    let (store, _) = try written(bench)
    try Data("damaged".utf8).write(to: bench.file(key))
    store.keep(try .text("new"), for: key)
    #expect(store.texts(key) == ["new"])
    bench.work.runAll()
    #expect(store.texts(key) == ["new"])
  }

  @Test("A file longer than the cache's limit is not read")
  func endless() throws {
    let bench = try DiskBench()
    let (store, _) = try written(bench)
    // Takes no room on the disk, and more than there is of memory.
    #expect(truncate(bench.file(key).path, 1 << 42) == 0)
    #expect(store.texts(key).isEmpty)
    bench.work.runAll()
    #expect(!bench.exists(key))
  }

  @Test("A folder, a pipe or a symbolic link in place of a file is a miss, without waiting")
  func otherKinds() throws {
    let bench = try DiskBench()
    let (store, bytes) = try written(bench)
    let path = bench.file(key).path
    let elsewhere = bench.url.appendingPathComponent("elsewhere")
    try bytes.write(to: elsewhere)
    let makes: [(String) -> Int32] = [
      { mkfifo($0, 0o600) }, { symlink(elsewhere.path, $0) }, { mkdir($0, 0o700) },
    ]
    for make in makes {
      #expect(remove(path) == 0)
      #expect(make(path) == 0)
      #expect(store.texts(key).isEmpty)
      bench.work.runAll()
    }
  }

  @Test("The file of another key with the same digest is a miss, and stays")
  func collision() throws {
    let bench = try DiskBench()
    let (store, _) = try written(bench)
    let other = CacheFile.bytes([try .text("other")], for: .number(2))
    try Data(other).write(to: bench.file(key))
    #expect(store.texts(key).isEmpty)
    bench.work.runAll()
    #expect(bench.exists(key))
    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    #expect(store.texts(key) == ["1"])
  }
}
