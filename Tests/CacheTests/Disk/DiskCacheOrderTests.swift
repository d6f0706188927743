import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The latest request to a disk store counts, whatever is written yet")
struct DiskCacheOrderTests {
  private let key = CacheKey.number(1)

  @Test("A removal overrides a waiting write, and a later store overrides the removal")
  func removal() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    let removals: [() -> Void] = [
      { store.remove(key) }, { store.removeAll(of: .anonymous) }, { store.removeAll() },
    ]
    for remove in removals {
      store.keep(try .text("1"), for: key)
      bench.work.runAll()
      store.keep(try .text("2", varying: ["accept": "b"]), for: key)
      remove()
      #expect(store.texts(key).isEmpty)
      store.keep(try .text("3"), for: key)
      #expect(store.texts(key) == ["3"])
      while bench.work.runNext() { #expect(store.texts(key) == ["3"]) }
      #expect(try bench.store().texts(key) == ["3"])
      remove()
      while bench.work.runNext() { #expect(store.texts(key).isEmpty) }
      #expect(!bench.exists(key))
    }
  }

  @Test("Responses stored during a wait are written together")
  func together() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    bench.work.runAll()
    for text in ["1", "2", "3"] { store.keep(try .text(text), for: key) }
    #expect(bench.work.count == 1)
  }

  @Test("A response removed before its write is not written")
  func undone() throws {
    let bench = try DiskBench()
    let writes = Counter()
    let store = try bench.store { step in
      if step == .write { writes.add() }
    }
    store.keep(try .text("1"), for: key)
    store.removeAll(of: .anonymous)
    store.keep(try .text("2"), for: key)
    bench.work.runAll()
    #expect(writes.value == 1)
    #expect(store.texts(key) == ["2"])
  }

  @Test("A request during a write is written after it")
  func meanwhile() throws {
    let bench = try DiskBench()
    let late = Late()
    let store = try bench.store { _ in late.run() }
    for isRemoved in [true, false] {
      store.keep(try .text("1"), for: key)
      let next = try StoredResponse.text("2", varying: ["accept": "b"])
      late.set { [key] in
        if isRemoved { store.removeAll(of: key.partition) }
        store.keep(next, for: key)
      }
      let expected = isRemoved ? ["2"] : ["2", "1"]
      bench.work.runNext()
      bench.work.runNext()
      #expect(store.texts(key) == expected)
      bench.work.runAll()
      #expect(store.texts(key) == expected)
      #expect(try bench.store().texts(key) == expected)
      store.remove(key)
      bench.work.runAll()
    }
  }

  @Test("The store behaves like a dictionary, in any order of events", arguments: 0..<20)
  func model(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    let bench = try DiskBench()
    var store = try bench.store()
    let model = MemoryCacheStore(maxBytes: 1 << 20)
    let partitions = [CachePartition.anonymous, .anna]
    func pick() -> CacheKey {
      .number(
        Int.random(in: 0..<4, using: &generator),
        of: partitions[Int.random(in: 0..<2, using: &generator)])
    }
    for step in 0..<200 {
      let key = pick()
      switch Int.random(in: 0..<100, using: &generator) {
      case 0..<40:
        let response = try StoredResponse.text(
          "\(step)", varying: ["accept": "\(Int.random(in: 0..<3, using: &generator))"])
        store.keep(response, for: key)
        model.keep(response, for: key)
      case 40..<50:
        store.remove(key)
        model.remove(key)
      case 50..<55:
        store.removeAll(of: key.partition)
        model.removeAll(of: key.partition)
      case 55..<57:
        store.removeAll()
        model.removeAll()
      case 57..<59:
        bench.work.runAll()
        store = try bench.store()
      default:
        bench.work.runNext()
      }
      for partition in partitions {
        for number in 0..<4 {
          let key = CacheKey.number(number, of: partition)
          #expect(
            store.responses(for: key).map(\.parts) == model.responses(for: key).map(\.parts),
            "step \(step)")
        }
      }
    }
    #expect(bench.failures.all.isEmpty)
  }

  @Test("Reads and writes on many threads end with each key's last value")
  func threads() async throws {
    let bench = try DiskBench()
    let queue = DispatchQueue(label: "DiskCacheOrderTests")
    let store = try DiskCacheStore(
      folder: bench.url, maxBytes: 1 << 20, transient: bench.transient,
      onFailure: { [failures = bench.failures] in failures.add($0) },
      date: { DiskBench.time }, queue: DiskQueue { queue.async(execute: $0) })
    try await withThrowingTaskGroup(of: Void.self) { group in
      for number in 0..<8 {
        group.addTask {
          let key = CacheKey.number(number)
          for round in 0..<50 {
            if round % 7 == 3 { store.remove(key) }
            store.keep(try .text("\(round)"), for: key)
            #expect(store.texts(key) == ["\(round)"])
            #expect(store.texts(.number((number + 1) % 8)).count <= 1)
          }
        }
      }
      try await group.waitForAll()
    }
    queue.sync {}
    for number in 0..<8 { #expect(try bench.store().texts(.number(number)) == ["49"]) }
    #expect(bench.failures.all.isEmpty)
  }
}
