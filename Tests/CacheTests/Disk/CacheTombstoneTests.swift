import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit

@Suite("Several processes that write to one folder")
struct CacheTombstoneTests {
  private let key = CacheKey.number(1)

  /// Two stores of one folder, each with a line of its own, as in two processes.
  private final class Processes: Sendable {
    let bench: DiskBench
    let clock = Clock()
    let work = [WaitingWork(), WaitingWork()]
    let stores: [DiskCacheStore]

    init() throws {
      let bench = try DiskBench()
      self.bench = bench
      stores = try work.map { [clock] line in try bench.store(work: line, date: { clock.now }) }
      work.forEach { $0.runAll() }
    }

    /// Sets the time of the next removals, in seconds.
    func goTo(_ seconds: Double) { clock.set(DiskBench.time + seconds) }
  }

  private final class Clock: Sendable {
    private let time = Lock(DiskBench.time)

    var now: Date { time.withLock { $0 } }

    func set(_ new: Date) { time.withLock { $0 = new } }
  }

  private static let removals: [@Sendable (DiskCacheStore, CacheKey) -> Void] = [
    { $0.remove($1) }, { $0.removeAll(at: $1.url) }, { $0.removeAll(of: $1.partition) },
    { store, _ in store.removeAll() },
  ]

  @Test(
    "A response that was requested before another process removed its key is not written",
    arguments: removals.indices)
  func underWay(removal: Int) throws {
    let processes = try Processes()
    let (one, other) = (processes.stores[0], processes.stores[1])
    processes.goTo(5)
    Self.removals[removal](other, key)
    processes.work[1].runAll()
    // It arrives after the removal.
    one.keep(try .text("old", requested: 4), for: key)
    processes.work[0].runAll()
    for store in processes.stores { #expect(store.texts(key).isEmpty) }
    one.keep(try .text("new", requested: 6), for: key)
    processes.work[0].runAll()
    for store in processes.stores { #expect(store.texts(key) == ["new"]) }
    #expect(processes.bench.failures.all.isEmpty)
  }

  @Test("The removal of a target is true over the roads that only another process has used")
  func otherRoads() throws {
    let processes = try Processes()
    let key = CacheKey.number(1, of: .anna)
    let (one, other) = (processes.stores[0], processes.stores[1])
    for number in [1, 2] { one.keep(try .text("1"), for: .number(number, of: .anna)) }
    processes.work[0].runAll()
    processes.goTo(5)
    other.removeAll(at: key.url)
    #expect(other.texts(key).isEmpty, "it is hidden at once")
    processes.work[1].runAll()
    one.keep(try .text("old", requested: 4), for: key)
    processes.work[0].runAll()
    for store in processes.stores {
      #expect(store.texts(key).isEmpty)
      #expect(store.texts(.number(2, of: .anna)) == ["1"])
    }
  }

  @Test("A response that waits to be written is not written after a removal elsewhere")
  func waiting() throws {
    let processes = try Processes()
    processes.stores[0].keep(try .text("old", requested: 4), for: key)
    processes.goTo(5)
    processes.stores[1].remove(key)
    processes.work[1].runAll()
    #expect(processes.stores[0].texts(key) == ["old"], "it is not on the disk yet")
    processes.work[0].runAll()
    for store in processes.stores { #expect(store.texts(key).isEmpty) }
  }

  @Test("The time of a removal is that of the call, also if it is written later")
  func lateRemoval() throws {
    let processes = try Processes()
    processes.goTo(5)
    processes.stores[1].remove(key)
    processes.goTo(9)
    processes.work[1].runAll()
    processes.stores[0].keep(try .text("new", requested: 6), for: key)
    processes.work[0].runAll()
    #expect(processes.stores[1].texts(key) == ["new"])
  }

  @Test("Removals in another order leave the later time")
  func order() throws {
    let processes = try Processes()
    processes.goTo(5)
    processes.stores[0].remove(key)
    processes.goTo(9)
    processes.stores[1].remove(key)
    processes.work[1].runAll()
    processes.work[0].runAll()
    processes.stores[0].keep(try .text("old", requested: 7), for: key)
    processes.work[0].runAll()
    #expect(processes.stores[0].texts(key).isEmpty)
  }

  @Test(
    "The time of a removal is exact where a file system cuts times to whole seconds",
    arguments: removals.indices)
  func wholeSeconds(removal: Int) throws {
    let processes = try Processes()
    processes.goTo(5.75)
    Self.removals[removal](processes.stores[1], key)
    processes.work[1].runAll()
    try processes.bench.changeTombstones(to: DiskBench.time + 4)
    processes.stores[0].keep(try .text("old", requested: 5.5), for: key)
    processes.work[0].runAll()
    #expect(processes.stores[0].texts(key).isEmpty)
    // An earlier removal that is written later does not replace it.
    processes.goTo(5.25)
    Self.removals[removal](processes.stores[1], key)
    processes.work[1].runAll()
    processes.stores[0].keep(try .text("old", requested: 5.5), for: key)
    processes.work[0].runAll()
    #expect(processes.stores[0].texts(key).isEmpty)
    processes.stores[0].keep(try .text("new", requested: 5.875), for: key)
    processes.work[0].runAll()
    #expect(processes.stores[1].texts(key) == ["new"])
  }

  @Test(
    "A tombstone without its content, as on a full disk, has the time of its change",
    arguments: [[], [1], Array(repeating: 0xff, count: 8), Array(repeating: 0, count: 8)]
      as [[UInt8]])
  func withoutContent(bytes: [UInt8]) throws {
    let processes = try Processes()
    processes.goTo(5)
    processes.stores[1].remove(key)
    processes.work[1].runAll()
    for name in processes.bench.tombstones {
      let file = processes.bench.url.appendingPathComponent(".tombstones/\(name)")
      try Data(bytes).write(to: file)
    }
    try processes.bench.changeTombstones(to: DiskBench.time + 5)
    for (text, seconds) in [("old", 4.0), ("new", 6)] {
      processes.stores[0].keep(try .text(text, requested: seconds), for: key)
      processes.work[0].runAll()
    }
    #expect(processes.stores[1].texts(key) == ["new"])
  }

  @Test("A response does not replace one of another process that was requested later")
  func late() throws {
    let processes = try Processes()
    processes.stores[1].keep(try .text("later", requested: 2), for: key)
    processes.work[1].runAll()
    processes.stores[0].keep(try .text("earlier", requested: 1), for: key)
    processes.stores[0].keep(
      try .text("variant", varying: ["accept": "b"], requested: 1), for: key)
    processes.work[0].runAll()
    for store in processes.stores { #expect(store.texts(key) == ["variant", "later"]) }
    processes.stores[0].keep(try .text("latest", requested: 3), for: key)
    processes.work[0].runAll()
    for store in processes.stores { #expect(store.texts(key) == ["latest", "variant"]) }
  }

  @Test("Times from the future, by a wrong clock, count for nothing")
  func wrongClock() throws {
    let processes = try Processes()
    processes.goTo(10_000)
    processes.stores[1].remove(key)
    processes.stores[1].keep(try .text("future", requested: 10_000), for: .number(2))
    processes.work[1].runAll()
    processes.goTo(0)
    for number in 1...2 {
      processes.stores[0].keep(try .text("now", requested: 0), for: .number(number))
    }
    processes.work[0].runAll()
    for number in 1...2 { #expect(processes.stores[1].texts(.number(number)) == ["now"]) }
    processes.goTo(5)
    processes.stores[0].remove(key)
    processes.work[0].runAll()
    processes.stores[1].keep(try .text("old", requested: 4), for: key)
    processes.work[1].runAll()
    #expect(processes.stores[0].texts(key).isEmpty)
  }

  @Test("Tombstones are removed when no exchange can be as old, and never become too many")
  func bounded() throws {
    let processes = try Processes()
    let bench = processes.bench
    processes.goTo(1)
    for number in 0..<3 { processes.stores[0].remove(.number(number)) }
    processes.work[0].runAll()
    #expect(bench.tombstones.count == 3)
    processes.goTo(3_602)
    let clock = processes.clock
    _ = try bench.store(date: { clock.now })
    bench.work.runAll()
    #expect(bench.tombstones.isEmpty)

    var changed = try StoredResponse.text("changed", requested: 3_600)
    processes.stores[0].keep(changed, for: .number(9_999))
    for number in 0..<5_200 {
      processes.stores[0].remove(.number(number))
      processes.work[0].runAll()
    }
    #expect(bench.tombstones.count < 4_096)
    // The one for everything stands for the others.
    processes.stores[1].keep(try .text("old", requested: 3_600), for: .number(0))
    processes.stores[1].keep(try .text("new", requested: 3_603), for: .number(1))
    processes.work[1].runAll()
    #expect(processes.stores[0].texts(.number(0)).isEmpty)
    #expect(processes.stores[0].texts(.number(1)) == ["new"])
    // What a HEAD has made invalid does not stay valid because it is as old.
    changed.isInvalidated = true
    processes.stores[0].keep(changed, for: .number(9_999))
    processes.work[0].runAll()
    #expect(processes.stores[0].texts(.number(9_999)).isEmpty)
    #expect(bench.failures.all.isEmpty)
  }

  @Test("Old tombstones are also removed where only targets are", arguments: [true, false])
  func boundedTargets(isTarget: Bool) throws {
    let processes = try Processes()
    func remove(_ numbers: Range<Int>) {
      for number in numbers {
        let key = CacheKey.number(number)
        if isTarget {
          processes.stores[0].removeAll(at: key.url)
        } else {
          processes.stores[0].remove(key)
        }
        processes.work[0].runAll()
      }
    }
    processes.goTo(1)
    remove(0..<10)
    #expect(processes.bench.tombstones.count == 10)
    processes.goTo(3_602)
    remove(10..<1_023)
    #expect(processes.bench.tombstones.count == 1_023)
    // Each 1,024th removal looks for old ones.
    remove(1_023..<1_024)
    #expect(processes.bench.tombstones.count == 1_014)
  }

  @Test("Two processes that store variants of one key lose none")
  func variants() async throws {
    let bench = try DiskBench()
    let key = key
    let stores = try (0..<4).map { _ in
      try DiskCacheStore(
        folder: bench.url, maxBytes: 1 << 20, transient: bench.transient, date: { DiskBench.time },
        queue: DiskQueue { $0() })
    }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for (place, store) in stores.enumerated() {
        group.addTask {
          for number in 0..<8 {
            store.keep(
              try .text("\(place)-\(number)", varying: ["accept": "\(place)-\(number)"]), for: key)
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(stores[0].texts(key).count == 32)
  }

  @Test("RFC 9111 §4.4: a change in one process prevents a hit by what was under way in another")
  func calls() async throws {
    let folder = try TemporaryFolder()
    let url = folder.url.appendingPathComponent("cache")
    let transports = [HeldTransport(), HeldTransport()]
    let apis = try transports.map { transport in
      TestAPI(
        baseURL: TestAPI.origin, transport: transport,
        cache: try HTTPCache(folder: url, onFailure: { _ in }))
    }
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
    async let read = apis[0].get(endpoint: "a").value
    while transports[0].open.isEmpty { await Task.yield() }
    async let change = apis[1].post(endpoint: "a", body: nil).value
    while transports[1].open.isEmpty { await Task.yield() }
    transports[1].answer(0, 204)
    _ = try await change
    transports[0].answer(0, headers: headers, body: "old")
    #expect(try await read.text == "old")
    for api in apis { try await api.cache?.flush().value }
    let after = try await apis[1].get(endpoint: "a") {
      $0.adding("Cache-Control", "only-if-cached")
    }
    .value
    #expect(after.statusCode == 504)
  }
}
