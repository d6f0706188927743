import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit

@Suite("A failed write to a cache's folder loses only its own response")
struct DiskCacheFaultTests {
  private let key = CacheKey.number(1)

  @Test(
    "A full disk at any step is reported once", arguments: [CacheFolder.Step.make, .write, .rename])
  func fullDisk(at failing: CacheFolder.Step) throws {
    let bench = try DiskBench()
    try keepOnDisk("1", for: key, in: bench)
    try keepOnDisk("2", for: .number(2), in: bench)
    let isFull = Lock(true)
    let store = try bench.store { (step) throws(POSIXError) in
      if step == failing, isFull.withLock({ $0 }) { throw POSIXError(.ENOSPC) }
    }
    for number in 3..<10 { store.keep(try .text("new"), for: .number(number)) }
    store.keep(try .text("new"), for: key)
    bench.work.runAll()
    for number in 3..<10 { #expect(store.texts(.number(number)).isEmpty) }
    // The old one was replaced as far as anybody knows: it does not come back.
    #expect(store.texts(key).isEmpty)
    #expect(store.texts(.number(2)) == ["2"])
    #expect(bench.files == [CacheFileName(.number(2)).path])
    #expect(bench.failures.all.map(\.kind) == [.noSpace])
    #expect(bench.failures.all.first?.path.hasPrefix(bench.url.path) == true)

    isFull.withLock { $0 = false }
    store.keep(try .text("newer"), for: key)
    bench.work.runAll()
    #expect(store.texts(key) == ["newer"])
  }

  @Test("A file in place of a folder is reported once")
  func inTheWay() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    bench.work.runAll()
    let shard = bench.file(key).deletingLastPathComponent()
    try FileManager.default.createDirectory(
      at: shard.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data().write(to: shard)
    for text in ["1", "2", "3"] {
      store.keep(try .text(text), for: key)
      #expect(store.texts(key) == [text])
      bench.work.runAll()
      #expect(store.texts(key).isEmpty)
    }
    #expect(bench.failures.all.map(\.kind) == [.system(.ENOTDIR)])
    #expect(bench.failures.all.first?.remedy.contains("permissions") == true)
    // No part of them is left.
    #expect(bench.files.count == 1)
  }

  @Test("A read-only disk keeps delivering its responses, except removed ones")
  func readOnly() throws {
    let bench = try DiskBench()
    let principals = [CachePartition.anonymous, .anna]
    for principal in principals {
      for number in 0..<4 { try keepOnDisk("old", for: .number(number, of: principal), in: bench) }
    }
    let isReadOnly = Lock(true)
    let store = try bench.store { (_) throws(POSIXError) in
      if isReadOnly.withLock({ $0 }) { throw POSIXError(.EROFS) }
    }
    store.remove(.number(0))
    store.keep(try .text("new"), for: .number(1))
    store.remove(.number(7))
    store.keep(try .text("new"), for: .number(8))
    store.removeAll(of: .anna)
    bench.work.runAll()
    #expect(
      (0..<9).map { store.texts(.number($0)) } == [[], [], ["old"], ["old"], [], [], [], [], []])
    for number in 0..<4 { #expect(store.texts(.number(number, of: .anna)).isEmpty) }
    #expect(bench.failures.all.map(\.kind) == [.system(.EROFS)])
    #expect(bench.files.count == 8)

    isReadOnly.withLock { $0 = false }
    // A write now contains nothing of the old response.
    store.keep(try .text("new", varying: ["accept": "b"]), for: .number(0))
    store.removeAll(of: .anna)
    bench.work.runAll()
    #expect(store.texts(.number(0)) == ["new"])
    #expect(bench.files.count == 4)
    store.keep(try .text("new"), for: .number(1, of: .anna))
    bench.work.runAll()
    #expect(store.texts(.number(1, of: .anna)) == ["new"])
    store.removeAll()
    bench.work.runAll()
    #expect(bench.files.isEmpty)
  }

  @Test("removeAll hides everything if it cannot remove the files")
  func removeAll() throws {
    let bench = try DiskBench()
    try keepOnDisk("old", for: key, in: bench)
    let isReadOnly = Lock(true)
    let store = try bench.store { (_) throws(POSIXError) in
      if isReadOnly.withLock({ $0 }) { throw POSIXError(.EACCES) }
    }
    store.removeAll(of: key.partition)
    bench.work.runAll()
    store.removeAll()
    bench.work.runAll()
    #expect(store.texts(key).isEmpty)
    #expect(bench.exists(key))

    isReadOnly.withLock { $0 = false }
    store.removeAll()
    store.keep(try .text("new"), for: key)
    bench.work.runAll()
    #expect(store.texts(key) == ["new"])
  }

  @Test("A variant that cannot be written costs only itself", arguments: [true, false])
  func variant(isReplacement: Bool) throws {
    let bench = try DiskBench()
    for language in ["de", "en"] {
      try bench.store().keep(.text(language, varying: ["accept-language": language]), for: key)
      bench.work.runAll()
    }
    let writes = Counter()
    let store = try bench.store { (step) throws(POSIXError) in
      guard step == .write else { return }
      writes.add()
      if writes.value == 1 { throw POSIXError(.ENOSPC) }
    }
    let language = isReplacement ? "de" : "fr"
    store.keep(try .text("new", varying: ["accept-language": language]), for: key)
    bench.work.runAll()
    #expect(store.texts(key) == (isReplacement ? ["en"] : ["en", "de"]))
    #expect(try bench.store().texts(key) == store.texts(key))
    #expect(bench.failures.all.map(\.kind) == [.noSpace])
  }

  @Test(
    "A symbolic link in the place of a folder is not followed",
    arguments: [".new", ".removed", ".tombstones", "partition", "shard"])
  func links(place: String) throws {
    let bench = try DiskBench()
    let store = try bench.store()
    bench.work.runAll()
    let name = CacheFileName(key)
    let path = ["partition": name.folder, "shard": "\(name.folder)/\(name.shard)"][place] ?? place
    let outside = bench.url.deletingLastPathComponent().appendingPathComponent("outside")
    let inside = outside.appendingPathComponent("inside")
    try FileManager.default.createDirectory(at: inside, withIntermediateDirectories: true)
    try Data("kept".utf8).write(to: inside.appendingPathComponent("notes"))
    try Data("kept".utf8).write(to: outside.appendingPathComponent("notes"))
    let link = bench.url.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: link.deletingLastPathComponent(), withIntermediateDirectories: true)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bench.url.path)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: outside)

    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    store.remove(key)
    bench.work.runAll()
    store.keep(try .text("2"), for: key)
    store.removeAll()
    _ = try bench.store()
    bench.work.runAll()
    let all = try FileManager.default.subpathsOfDirectory(atPath: outside.path).sorted()
    #expect(all == ["inside", "inside/notes", "notes"])
    #expect(try Data(contentsOf: outside.appendingPathComponent("notes")) == Data("kept".utf8))
    #expect(store.texts(key).isEmpty)
  }

  @Test("If times cannot be written, hits do not retry it repeatedly")
  func touch() throws {
    let bench = try DiskBench()
    for number in 0..<2 {
      try keepOnDisk("1", for: .number(number), in: bench)
      try bench.age(bench.file(.number(number)), 100)
    }
    let store = try bench.store { (step) throws(POSIXError) in
      if step == .touch { throw POSIXError(.EROFS) }
    }
    bench.work.runAll()
    #expect(store.texts(.number(0)) == ["1"])
    #expect(bench.work.count == 1)
    bench.work.runAll()
    for number in 0..<2 { #expect(store.texts(.number(number)) == ["1"]) }
    #expect(bench.work.count == 0)
    #expect(bench.failures.all.isEmpty)
  }

  @Test(
    "A process that ends at any step leaves whole files",
    arguments: [CacheFolder.Step.make, .write, .rename])
  func crash(at last: CacheFolder.Step) async throws {
    let bench = try DiskBench()
    try keepOnDisk("1", for: key, in: bench)
    let index = try #require(CacheFolder.Step.allCases.firstIndex(of: last))
    await #expect(processExitsWith: .exitCode(42)) {
      [
        index = index as Int, path = bench.url.path as String
      ] in
      let store = try DiskCacheStore(
        folder: URL(filePath: path), maxBytes: 1 << 20,
        transient: MemoryCacheStore(maxBytes: 1 << 20), date: { DiskBench.time },
        willReach: { step in
          if step == CacheFolder.Step.allCases[index] { _exit(42) }
        }, queue: DiskQueue { $0() })
      store.keep(try .text("2"), for: .number(1))
    }
    let left = bench.files.filter { $0.hasPrefix(".new/") }
    #expect(left.count == (last == .make ? 0 : 1))
    // Whoever opens the folder next removes it.
    let store = try bench.store()
    bench.work.runAll()
    #expect(store.texts(key) == ["1"])
    #expect(bench.files == [CacheFileName(key).path])
  }

  @Test("The leftovers of a killed removal are removed at the next start")
  func removedLeft() throws {
    let bench = try DiskBench()
    try keepOnDisk("1", for: key, in: bench)
    let removed = bench.url.appendingPathComponent(".removed")
    try FileManager.default.createDirectory(at: removed, withIntermediateDirectories: true)
    try FileManager.default.moveItem(
      at: bench.url.appendingPathComponent(CacheFileName(key).folder),
      to: removed.appendingPathComponent("x"))
    #expect(try bench.store().texts(key).isEmpty)
    bench.work.runAll()
    #expect(bench.files.isEmpty)
  }

  private func keepOnDisk(_ text: String, for key: CacheKey, in bench: DiskBench) throws {
    try bench.store().keep(try .text(text), for: key)
    bench.work.runAll()
  }
}
