import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit

@Suite("The limit of a cache's folder")
struct CacheSweepTests {
  /// Room for 40 files of one block.
  private static let limit = 40 * 4_096

  /// - Parameter spacing: The time between the uses of two files, in seconds.
  private func fill(
    _ store: DiskCacheStore, _ bench: DiskBench, _ numbers: Range<Int>, spacing: Double = 1
  ) throws {
    for number in numbers {
      store.keep(try .text("\(number)"), for: .number(number))
      bench.work.runAll()
      // The lower, the longer ago.
      try bench.age(bench.file(.number(number)), Double(10_000 - number) * spacing)
    }
  }

  private func kept(_ bench: DiskBench, of numbers: Range<Int>) -> [Int] {
    numbers.filter { bench.exists(.number($0)) }
  }

  @Test(
    "The least recently used files are removed until a tenth of the limit is free",
    arguments: [1, 0.25])
  func oldest(spacing: Double) throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    try fill(store, bench, 0..<40, spacing: spacing)
    #expect(kept(bench, of: 0..<40).count == 40)
    try fill(store, bench, 40..<41, spacing: spacing)
    #expect(kept(bench, of: 0..<41) == Array(5..<41))
    #expect(store.texts(.number(0)).isEmpty)
    #expect(store.texts(.number(5)) == ["5"])
  }

  @Test("A hit renews a file's time, once a minute at most and not while the caller waits")
  func used() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    try fill(store, bench, 0..<40)
    for _ in 0..<3 { #expect(store.texts(.number(0)) == ["0"]) }
    #expect(bench.work.count == 1)
    #expect(try bench.ageInSeconds(bench.file(.number(0))) > 9_000)
    bench.work.runAll()
    #expect(try bench.ageInSeconds(bench.file(.number(0))) < 1_000)
    #expect(store.texts(.number(0)) == ["0"])
    #expect(bench.work.count == 0)
    try fill(store, bench, 40..<41)
    #expect(kept(bench, of: 0..<41) == [0] + Array(6..<41))
    try bench.age(bench.file(.number(0)), 100)
    #expect(store.texts(.number(0)) == ["0"])
    #expect(bench.work.count == 1)
  }

  @Test("A file from the future gets the current time when it is used")
  func future() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    try fill(store, bench, 0..<1)
    try bench.age(bench.file(.number(0)), -100_000)
    #expect(store.texts(.number(0)) == ["0"])
    bench.work.runAll()
    #expect(try bench.ageInSeconds(bench.file(.number(0))) > -1_000)
  }

  @Test("After a restart existing files are counted, including those of other processes")
  func restart() throws {
    let bench = try DiskBench()
    try fill(try bench.store(maxBytes: Self.limit), bench, 0..<30)
    // Another process with a limit of its own.
    try fill(try bench.store(maxBytes: 2 * Self.limit), bench, 30..<60)
    #expect(kept(bench, of: 0..<60).count == 60)
    let store = try bench.store(maxBytes: Self.limit)
    // A removal does not wait for a count.
    store.remove(.number(0))
    bench.work.runAll()
    #expect(kept(bench, of: 0..<60).count == 59)
    try fill(store, bench, 60..<61)
    #expect(kept(bench, of: 0..<61) == Array(25..<61))
  }

  @Test("Many writes in a row need one count")
  func oneCount() throws {
    let bench = try DiskBench()
    let counts = Counter()
    let store = try bench.store(maxBytes: Self.limit) { step in
      if step == .list { counts.add() }
    }
    bench.work.runAll()
    let before = counts.value
    for number in 0..<100 { store.keep(try .text("1"), for: .number(number)) }
    bench.work.runAll()
    // Of a folder with 100 shards at most.
    #expect(counts.value - before < 150)
    #expect(kept(bench, of: 0..<100).count <= 40)
  }

  @Test("A response that replaces another takes no more room")
  func replaced() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    try fill(store, bench, 0..<40)
    let leftover = bench.url.appendingPathComponent(".new/leftover")
    try Data().write(to: leftover)
    try bench.age(leftover, 3_700)
    for text in ["a", "b", "c"] {
      store.keep(try .text(text), for: .number(39))
      bench.work.runAll()
    }
    // A sweep, which counts all files, would have taken it along.
    #expect(FileManager.default.fileExists(atPath: leftover.path))
    store.remove(.number(0))
    try fill(store, bench, 40..<41)
    #expect(kept(bench, of: 0..<41) == Array(1..<41))
  }

  @Test("A response over an eighth of the limit is not stored, and the previous one is removed")
  func tooBig() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    let key = CacheKey.number(1)
    store.keep(try .text("small"), for: key)
    store.keep(try .text("other", varying: ["accept": "b"]), for: key)
    bench.work.runAll()
    // As much as a file may take, to the byte.
    let rest = CacheFile.size(ofKey: key) + CacheFile.size(of: try .text(""))
    let most = 5 * 4_096 - rest
    store.keep(try .data(Data(count: most + 1)), for: key)
    for _ in 0..<2 {
      #expect(store.texts(key) == ["other"])
      bench.work.runAll()
    }
    store.remove(key)
    store.keep(try .data(Data(count: most)), for: key)
    bench.work.runAll()
    #expect(store.responses(for: key).map(\.data.count) == [most])
    #expect(bench.failures.all.isEmpty)
  }

  @Test("Of variants that exceed an eighth together the latest stay")
  func bigVariants() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    let key = CacheKey.number(1)
    for number in 0..<5 {
      store.keep(try .data(Data(count: 6_000), varying: ["accept": "\(number)"]), for: key)
      bench.work.runAll()
    }
    #expect(
      store.responses(for: key).map(\.varying) == [
        ["accept": "4"], ["accept": "3"], ["accept": "2"],
      ])
  }

  @Test("The data that waits for the disk is limited, and the rest is not stored")
  func waiting() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: 1 << 30)
    let data = Data(count: 10 << 20)
    for number in 0..<4 { store.keep(try .data(data), for: .number(number)) }
    #expect((0..<4).filter { !store.responses(for: .number($0)).isEmpty } == [0, 1, 2])
    bench.work.runAll()
    store.keep(try .data(data), for: .number(3))
    #expect(store.responses(for: .number(3)).count == 1)
    bench.work.runAll()
    // One that is larger than all that may wait is kept where nothing else does.
    store.keep(try .data(Data(count: 33 << 20)), for: .number(4))
    #expect(store.responses(for: .number(4)).count == 1)
  }

  @Test("If files cannot be removed, the sweep is retried later")
  func failing() throws {
    let bench = try DiskBench()
    let removals = Counter()
    let store = try bench.store(maxBytes: Self.limit) { (step) throws(POSIXError) in
      guard step == .remove else { return }
      removals.add()
      throw POSIXError(.EACCES)
    }
    try fill(store, bench, 0..<41)
    #expect(removals.value == 1)
    try fill(store, bench, 41..<45)
    #expect(removals.value == 1)
    try fill(store, bench, 45..<46)
    #expect(removals.value == 2)
    #expect(bench.failures.all.map(\.kind) == [.system(.EACCES)])
    #expect(kept(bench, of: 0..<46).count == 46)
  }

  @Test("A removed damaged file leaves room for another")
  func damaged() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    try fill(store, bench, 0..<40)
    try Data("damaged".utf8).write(to: bench.file(.number(20)))
    #expect(store.texts(.number(20)).isEmpty)
    bench.work.runAll()
    try fill(store, bench, 40..<41)
    #expect(kept(bench, of: 0..<41) == Array(0..<20) + Array(21..<41))
  }

  @Test("A removed partition makes room for others")
  func removedPartition() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    for number in 0..<20 { store.keep(try .text("1"), for: .number(number, of: .anna)) }
    bench.work.runAll()
    store.removeAll(of: .anna)
    try fill(store, bench, 0..<40)
    #expect(kept(bench, of: 0..<40).count == 40)
  }

  @Test("Sizes count in whole blocks, and no size is too large to count")
  func costs() {
    #expect([0, 1, 4_096, 4_097].map(CacheSweep.cost) == [0, 4_096, 4_096, 8_192])
    #expect(CacheSweep.cost(.max) == .max)
  }

  @Test("A sweep removes empty folders, and leaves foreign files")
  func others() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    store.keep(try .text("1"), for: .number(1, of: .anna))
    bench.work.runAll()
    store.remove(.number(1, of: .anna))
    bench.work.runAll()
    let notes = bench.url.appendingPathComponent("notes.txt")
    try Data(count: 10 * Self.limit).write(to: notes)
    try fill(store, bench, 0..<41)
    #expect(FileManager.default.fileExists(atPath: notes.path))
    let anna = bench.url.appendingPathComponent(CacheFileName.folder(.anna))
    #expect(!FileManager.default.fileExists(atPath: anna.path))
    #expect(kept(bench, of: 0..<41).count == 36)
    // A shard that went is made again.
    store.keep(try .text("2"), for: .number(1, of: .anna))
    bench.work.runAll()
    #expect(store.texts(.number(1, of: .anna)) == ["2"])
  }

  @Test("Parts of killed processes are removed at once, because who writes has the lock")
  func leftovers() throws {
    let bench = try DiskBench()
    let store = try bench.store(maxBytes: Self.limit)
    try fill(store, bench, 0..<1)
    let new = bench.url.appendingPathComponent(".new")
    for (name, seconds) in [("young", 0.0), ("old", 3_700)] {
      let file = new.appendingPathComponent(name)
      try Data(count: 10 * Self.limit).write(to: file)
      try bench.age(file, seconds)
    }
    try fill(store, bench, 1..<41)
    #expect(kept(bench, of: 0..<41) == Array(5..<41), "they take no room from the others")
    #expect(bench.files.allSatisfy { !$0.hasPrefix(".new/") })
  }

  @Test("A folder that cannot be counted is told, is not empty, and is counted later")
  func uncounted() throws {
    let bench = try DiskBench()
    try fill(try bench.store(maxBytes: 2 * Self.limit), bench, 0..<60)
    let isFailing = Lock(true)
    let counts = Counter()
    let store = try bench.store(maxBytes: Self.limit) { (step) throws(POSIXError) in
      guard step == .list else { return }
      counts.add()
      if isFailing.withLock({ $0 }) { throw POSIXError(.EMFILE) }
    }
    try fill(store, bench, 60..<61)
    #expect(bench.failures.all.map(\.kind) == [.system(.EMFILE)])
    let before = counts.value
    try fill(store, bench, 61..<64)
    #expect(counts.value == before, "not at each write")
    isFailing.withLock { $0 = false }
    try fill(store, bench, 64..<66)
    #expect(kept(bench, of: 0..<66) == Array(30..<66))
  }
}
