import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

@Suite("What a cache in a folder has removed or written when it says so")
struct DiskCacheRemovalTests {
  private let key = CacheKey.number(1)

  /// The reports of a store, in order.
  private final class Reports: Sendable {
    private let reports = Lock<[DiskCacheError.Kind?]>([])

    func ask(_ store: DiskCacheStore, _ kind: CacheChangeKind) {
      store.whenDone(kind) { error in self.reports.withLock { $0.append(error?.kind) } }
    }

    var all: [DiskCacheError.Kind?] { reports.withLock { $0 } }
  }

  private static let url = URL(filePath: "/").appendingPathComponent("a")

  private func cache(in folder: TemporaryFolder) throws -> HTTPCache {
    try HTTPCache(folder: folder.url.appendingPathComponent("cache"), onFailure: { _ in })
  }

  private static func api(_ cache: HTTPCache) -> TestAPI {
    TestAPI(
      baseURL: TestAPI.origin,
      transport: AnsweringTransport(over: TransportIdentity(lasting: "")) {
        try RESTResponse(to: $0, headers: ["Cache-Control": "max-age=600"], data: Data("1".utf8))
      }, cache: cache)
  }

  /// Whether another process would find a response.
  private func finds(_ path: String, in folder: TemporaryFolder) async throws -> Bool {
    let api = Self.api(try cache(in: folder))
    let response = try await api.get(endpoint: path) {
      $0.adding("Cache-Control", "only-if-cached")
    }
    .value
    return response.statusCode == 200
  }

  @Test("A removal reports when it is true on the disk, and not before")
  func order() throws {
    let bench = try DiskBench()
    let store = try bench.store()
    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    let reports = Reports()
    store.removeAll()
    reports.ask(store, .removals)
    while reports.all.isEmpty {
      #expect(store.texts(key).isEmpty)
      try #require(bench.work.runNext())
    }
    #expect(reports.all == [nil])
    #expect(bench.files.isEmpty)
  }

  @Test("Without descriptors a removal fails, stays hidden, and a flush repeats it")
  func descriptors() throws {
    let bench = try DiskBench()
    let isFailing = Lock(false)
    let store = try bench.store { (step) throws(POSIXError) in
      if step == .list || step == .mark, isFailing.withLock({ $0 }) { throw POSIXError(.EMFILE) }
    }
    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    let reports = Reports()
    isFailing.withLock { $0 = true }
    store.removeAll()
    reports.ask(store, .removals)
    bench.work.runAll()
    #expect(reports.all == [.system(.EMFILE)])
    #expect(bench.failures.all.map(\.kind) == [.system(.EMFILE)])
    #expect(store.texts(key).isEmpty)
    #expect(bench.exists(key))
    reports.ask(store, .all)
    bench.work.runAll()
    #expect(reports.all == [.system(.EMFILE), .system(.EMFILE)])
    isFailing.withLock { $0 = false }
    for _ in 0..<2 { reports.ask(store, .all) }
    bench.work.runAll()
    #expect(reports.all.suffix(2) == [nil, nil])
    #expect(bench.files.isEmpty)
    store.keep(try .text("2"), for: key)
    bench.work.runAll()
    #expect(store.texts(key) == ["2"])
  }

  @Test("A key whose removal fails is told by the removal, and repeated by a flush")
  func stuckKey() throws {
    let bench = try DiskBench()
    let isFailing = Lock(false)
    let store = try bench.store { (step) throws(POSIXError) in
      if step == .remove, isFailing.withLock({ $0 }) { throw POSIXError(.EACCES) }
    }
    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    let reports = Reports()
    isFailing.withLock { $0 = true }
    store.removeAll(at: key.url)
    reports.ask(store, .removals)
    bench.work.runAll()
    #expect(reports.all == [.system(.EACCES)])
    #expect(store.texts(key).isEmpty)
    isFailing.withLock { $0 = false }
    reports.ask(store, .all)
    bench.work.runAll()
    #expect(reports.all == [.system(.EACCES), nil])
    #expect(!bench.exists(key))
  }

  @Test("A flush fails once for a response that was not stored, and a removal does not")
  func lost() throws {
    let bench = try DiskBench()
    let isFull = Lock(true)
    let store = try bench.store { (step) throws(POSIXError) in
      if step == .write, isFull.withLock({ $0 }) { throw POSIXError(.ENOSPC) }
    }
    store.keep(try .text("1"), for: key)
    bench.work.runAll()
    isFull.withLock { $0 = false }
    let reports = Reports()
    store.remove(key)
    for kind in [CacheChangeKind.removals, .all, .all] { reports.ask(store, kind) }
    bench.work.runAll()
    #expect(reports.all == [nil, .noSpace, nil])
  }

  @Test("On a full disk a removal is still true")
  func fullDisk() throws {
    let bench = try DiskBench()
    let isFull = Lock(false)
    let store = try bench.store { (step) throws(POSIXError) in
      if step == .mark || step == .write, isFull.withLock({ $0 }) { throw POSIXError(.ENOSPC) }
      if step == .remove { isFull.withLock { $0 = false } }
    }
    let reports = Reports()
    for removal in [{ store.remove(key) }, { store.removeAll() }] {
      store.keep(try .text("1"), for: key)
      bench.work.runAll()
      isFull.withLock { $0 = true }
      _ = removal()
      reports.ask(store, .removals)
      bench.work.runAll()
    }
    #expect(reports.all == [nil, nil])
    #expect(bench.files.isEmpty)
    #expect(bench.tombstones.count == 2)
  }

  @Test("remove(_:) removes one URL for all users, in memory and on the disk")
  func oneURL() async throws {
    let folder = try TemporaryFolder()
    for cache in [HTTPCache(), try cache(in: folder)] {
      let api = Self.api(cache)
      for path in ["a", "b"] {
        for key in [nil, "secret"] {
          _ = try await api.get(endpoint: path) { $0.adding(key.map { ["X-Api-Key": $0] } ?? [:]) }
            .value
        }
      }
      let url = try #require(URL(string: TestAPI.origin + ":443/a#part"))
      try await cache.remove(url).value
      for (path, isThere) in [("a", false), ("b", true)] {
        for key in [nil, "secret"] {
          let response = try await api.get(endpoint: path) {
            $0.adding(key.map { ["X-Api-Key": $0] } ?? [:])
              .adding("Cache-Control", "only-if-cached")
          }.value
          #expect((response.statusCode == 200) == isThere, "\(path)")
        }
      }
      try await cache.remove(URL(filePath: "/a")).value
      // A busy machine takes longer than the wait of a call for its write.
      try await cache.flush().value
    }
    #expect(try await !finds("a", in: folder))
    #expect(try await finds("b", in: folder))
  }

  @Test("The release of a cache waits for its writes")
  func release() async throws {
    let folder = try TemporaryFolder()
    for round in 0..<20 {
      var cache: HTTPCache? = try cache(in: folder)
      let api = cache.map(Self.api)
      // Some of them find the line busy, and do not wait.
      try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<8 {
          group.addTask { _ = try await api?.get(endpoint: "\(round)/\(number)").value }
        }
        try await group.waitForAll()
      }
      cache = nil
    }
    for round in 0..<20 {
      for number in 0..<8 { #expect(try await finds("\(round)/\(number)", in: folder)) }
    }
  }

  @Test("The release of a cache writes all that its calls did not wait for")
  func releaseWaits() async throws {
    let folder = try TemporaryFolder()
    let work = WaitingWork()
    let isReleased = Lock(false)
    do {
      let cache = try HTTPCache(
        folder: folder.url.appendingPathComponent("cache"),
        line: CacheLine {
          work.add($0)
        } awaitAll: {
          // A call's wait may end before the work does.
          if isReleased.withLock({ $0 }) { work.runAll() }
        } willReach: {
        }, threads: DeliveryThreads(), servesStaleWhenUnreachable: true, date: { Date() })
      for path in ["a", "b"] { _ = try await Self.api(cache).get(endpoint: path).value }
      #expect(try await !finds("a", in: folder))
      isReleased.withLock { $0 = true }
    }
    #expect(work.count == 0)
    for path in ["a", "b"] { #expect(try await finds(path, in: folder)) }
  }

  @Test("A process that ends right after a response has stored it")
  func shortTool() async throws {
    let folder = try TemporaryFolder()
    for round in 0..<10 {
      await #expect(processExitsWith: .exitCode(42)) {
        [path = folder.url.path as String, round = round as Int] in
        let cache = try HTTPCache(folder: URL(filePath: path).appendingPathComponent("cache"))
        _ = try await Self.api(cache).get(endpoint: "\(round)").value
        _exit(42)
      }
      #expect(try await finds("\(round)", in: folder))
    }
  }

  @Test("A process that ends right after a removal leaves nothing behind")
  func removedForAll() async throws {
    let folder = try TemporaryFolder()
    for round in 0..<10 {
      let cache = try cache(in: folder)
      for number in 0..<20 { _ = try await Self.api(cache).get(endpoint: "\(number)").value }
      try await cache.flush().value
      await #expect(processExitsWith: .exitCode(42)) {
        [path = folder.url.path as String, round = round as Int] in
        let cache = try HTTPCache(folder: URL(filePath: path).appendingPathComponent("cache"))
        if round % 2 == 0 {
          try await cache.removeAll().value
        } else {
          cache.removeAll()
        }
        _exit(42)
      }
      #expect(try await !finds("0", in: folder))
      #expect(try await !finds("19", in: folder))
    }
  }

  @Test("A process without descriptors is told that removeAll failed, and gets no response")
  func noDescriptors() async throws {
    let folder = try TemporaryFolder()
    await #expect(processExitsWith: .exitCode(42)) {
      [path = folder.url.path as String] in
      let cache = try HTTPCache(
        folder: URL(filePath: path).appendingPathComponent("cache"), onFailure: { _ in })
      let api = Self.api(cache)
      _ = try await api.get(endpoint: "a").value
      var open: [Int32] = []
      while case let descriptor = dup(0), descriptor >= 0 { open.append(descriptor) }
      let error = await #expect(throws: DiskCacheError.self) { try await cache.removeAll().value }
      for descriptor in open { close(descriptor) }
      let response = try await api.get(endpoint: "a") {
        $0.adding("Cache-Control", "only-if-cached")
      }.value
      guard error?.kind == .system(.EMFILE), response.statusCode == 504 else { _exit(1) }
      try await cache.flush().value
      _exit(42)
    }
    #expect(try await !finds("a", in: folder))
  }

  @Test("In memory a removal is done at once, with or without a subscriber")
  func memory() async throws {
    let cache = HTTPCache()
    let api = Self.api(cache)
    _ = try await api.get(endpoint: "a").value
    cache.removeAll()
    let response = try await api.get(endpoint: "a") { $0.adding("Cache-Control", "only-if-cached") }
      .value
    #expect(response.statusCode == 504)
    let outcomes = ValueLog<Bool>()
    for publisher in [cache.removeAll(), cache.flush(), cache.remove(Self.url)] {
      publisher.sink { _ in
      } receiveValue: {
        outcomes.add(true)
      }.cancel()
    }
    #expect(outcomes.all.count == 3)
  }
}
