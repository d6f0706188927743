import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Responses stored in a folder")
struct DiskCacheStoreTests {
  private let key = CacheKey.number(1)

  private static func full() throws -> [StoredResponse] {
    let url = try #require(URL(string: "https://h.example/a%20b?q=%C3%A4#part"))
    return [
      StoredResponse(
        head: ResponseHead(
          url: url, statusCode: 404, httpVersion: "HTTP/2",
          headers: [
            "Set-Cookie": "a=1", "set-cookie": "b=2", "X-Grüße": "zwölf \u{1F600} e\u{301}",
            "Empty": "", "Cache-Control": "max-age=60",
          ]),
        data: Data((0..<70_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }),
        requestTime: Date(timeIntervalSince1970: 1_800_000_000.123_456_7),
        responseTime: Date(timeIntervalSince1970: -0.000_001),
        varying: ["accept": nil, "accept-language": "de", "x": ""], isInvalidated: true),
      StoredResponse(
        head: ResponseHead(url: url, statusCode: 200, httpVersion: ""), data: Data(),
        requestTime: .distantPast, responseTime: .distantFuture, varying: [:]),
      StoredResponse(
        head: ResponseHead(url: url, statusCode: 599), data: Data("ä".utf8),
        requestTime: Date(timeIntervalSinceReferenceDate: 0),
        responseTime: Date(timeIntervalSinceReferenceDate: 0.1),
        varying: ["accept": ""]),
    ]
  }

  @Test("Each whole response and variant is returned, before its write and after a restart")
  func roundTrip() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    let all = try Self.full()
    for response in all.reversed() { store.keep(response, for: key) }
    #expect(store.responses(for: key).map(\.parts) == all.map(\.parts))
    bench.work.runAll()
    #expect(store.responses(for: key).map(\.parts) == all.map(\.parts))
    let read = try bench.store().responses(for: key)
    #expect(read.map(\.parts) == all.map(\.parts))
    // So that a hit need not read them.
    #expect(read.allSatisfy { $0.knownRules != nil })
    #expect(read.first?.knownRules?.lifetime == 60)
    // Its bytes begin at zero, which callers take for granted.
    #expect(read.allSatisfy { $0.data.startIndex == 0 })
    #expect(bench.failures.all.isEmpty)
  }

  @Test("Another key or partition gets nothing")
  func otherKeys() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    #expect(store.texts(.number(2)).isEmpty)
    #expect(store.texts(.number(1, of: .anna)).isEmpty)
  }

  @Test("A response replaces the one with the same varying fields, and comes first")
  func variants() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    for isWritten in [false, true] {
      store.remove(key)
      for (text, language) in [("1", "de"), ("2", "en"), ("3", nil), ("4", "de")] {
        store.keep(try .text(text, varying: ["accept-language": language]), for: key)
        if isWritten { bench.work.runAll() }
      }
      #expect(store.texts(key) == ["4", "3", "2"])
    }
    store.remove(key)
    bench.work.runAll()
    #expect(!bench.exists(key))
  }

  @Test("A key has 32 variants at most, the latest ones")
  func mostVariants() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    for number in 0..<40 {
      store.keep(try .text("\(number)", varying: ["accept": "\(number)"]), for: key)
    }
    bench.work.runAll()
    #expect(store.texts(key) == (8..<40).reversed().map { "\($0)" })
  }

  @Test("The folder has mode 0700 and the files 0600, and no other files are left")
  func modes() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    #expect(bench.files == [CacheFileName(key).path])
    #expect(try bench.mode(of: bench.file(key)) == 0o600)
    var folder = bench.file(key)
    while folder.path.count > bench.url.path.count {
      folder.deleteLastPathComponent()
      #expect(try bench.mode(of: folder) == 0o700)
    }
  }

  @Test("Opening neither reads nor writes in the folder before the background work")
  func opening() throws {
    let bench = try DiskBench()
    _ = try bench.store()
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.url.path).isEmpty)
    bench.work.runAll()
    #expect(try FileManager.default.contentsOfDirectory(atPath: bench.url.path).isEmpty)
  }

  @Test("Two stores on one folder see each other's responses and removals")
  func twoStores() throws {
    let bench = try DiskBench()
    let stores = [try bench.store(), try bench.store()]
    stores[0].keep(try .text("1"), for: key)
    bench.work.runAll()
    #expect(stores[1].texts(key) == ["1"])
    stores[1].keep(try .text("2"), for: key)
    stores[1].keep(try .text("3", varying: ["accept": "b"]), for: key)
    bench.work.runAll()
    #expect(stores[0].texts(key) == ["3", "2"])
    stores[0].removeAll(of: .anonymous)
    bench.work.runAll()
    #expect(stores[1].texts(key).isEmpty)
    stores[1].keep(try .text("4"), for: key)
    bench.work.runAll()
    #expect(stores[0].texts(key) == ["4"])
  }

  @Test("The removal of a partition leaves the others, and no file of its own")
  func partitions() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    for number in 0..<10 {
      store.keep(try .text("1"), for: .number(number))
      store.keep(try .text("2"), for: .number(number, of: .anna))
    }
    bench.work.runAll()
    #expect(bench.files.count == 20)
    store.removeAll(of: .anna)
    for _ in 0..<2 {
      for number in 0..<10 {
        #expect(store.texts(.number(number)) == ["1"])
        #expect(store.texts(.number(number, of: .anna)).isEmpty)
      }
      bench.work.runAll()
    }
    #expect(bench.files.count == 10)
    // A key without responses is removed, too.
    store.removeAll(of: .anna)
    bench.work.runAll()
    #expect(bench.failures.all.isEmpty)
  }

  @Test("removeAll leaves foreign files, and empties the other store")
  func removeAll() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    store.keep(try .text("1"), for: key)
    store.keep(try .text("2"), for: .number(2, of: .anna))
    store.keep(try .text("3"), for: .number(3, of: .passing))
    bench.work.runAll()
    let other = bench.url.appendingPathComponent("notes.txt")
    try Data("kept".utf8).write(to: other)
    store.removeAll()
    #expect(store.texts(key).isEmpty)
    bench.work.runAll()
    #expect(store.texts(key).isEmpty)
    #expect(store.texts(.number(3, of: .passing)).isEmpty)
    #expect(bench.files == ["notes.txt"])
  }

  @Test("The removal of a target's responses covers the folder and transient partitions")
  func target() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    for number in 1...2 {
      store.keep(try .text("1"), for: .number(number))
      store.keep(try .text("2"), for: .number(number, of: .passing))
    }
    bench.work.runAll()
    #expect(store.removeAll(at: key.url).count == 1, "what was in memory alone")
    for _ in 0..<2 {
      #expect(store.texts(key).isEmpty)
      #expect(store.texts(.number(1, of: .passing)).isEmpty)
      #expect(store.texts(.number(2)) == ["1"])
      #expect(store.texts(.number(2, of: .passing)) == ["2"])
      bench.work.runAll()
    }
    #expect(!bench.exists(key))
  }

  @Test("The responses of a transient partition never reach the disk")
  func transient() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    bench.work.runAll()
    let key = CacheKey.number(1, of: .passing)
    store.keep(try .text("1"), for: key)
    #expect(bench.work.count == 0)
    #expect(store.texts(key) == ["1"])
    #expect(bench.transient.texts(key) == ["1"])
    #expect(try bench.store().texts(key) == ["1"])
    store.remove(key)
    #expect(bench.transient.texts(key).isEmpty)
    store.keep(try .text("2"), for: key)
    store.removeAll(of: .passing)
    #expect(bench.transient.texts(key).isEmpty)
    #expect(bench.files.isEmpty)
  }

  @Test("A removed folder is created again by the next write")
  func removedFolder() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    try FileManager.default.removeItem(at: bench.url)
    #expect(store.texts(key).isEmpty)
    store.keep(try .text("2"), for: key)
    bench.work.runAll()
    #expect(store.texts(key) == ["2"])
    #expect(try bench.mode(of: bench.url) == 0o700)
    #expect(bench.failures.all.isEmpty)
  }

  @Test("A store with its own queue writes there, for the next process")
  func ownQueue() async throws {
    let bench = try DiskBench()
    let (written, end) = AsyncStream<Void>.makeStream()
    let key = key
    // In the place of a key's shard, so that the write fails, and tells when it has run.
    let shard = bench.file(key).deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: shard.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.setAttributes(
      [.posixPermissions: 0o700], ofItemAtPath: bench.url.path)
    try Data().write(to: shard)
    let store = try DiskCacheStore(
      folder: bench.url, maxBytes: 1 << 20, transient: bench.transient
    ) { _ in end.finish() }
    let kept = CacheKey.number(2)
    store.keep(try .text("2"), for: kept)
    store.keep(try .text("1"), for: key)
    for await _ in written {}
    #expect(bench.exists(kept))
    #expect(try bench.store().texts(kept) == ["2"])
  }
}
