import Fixtures
import Foundation
import StreamsTesting
import Synchronization
import Testing

@testable import RESTKit

@Suite("A cache's folder with processes that are killed", .timeLimit(.minutes(10)))
struct DiskCacheKillTests {
  private static let keys = 8

  /// A response whose every part says which one it is.
  private static func answer(_ number: Int) throws -> StoredResponse {
    let text = "\(number)."
    return try .text(
      String(repeating: text, count: 1 + number * 97 % 4_000), varying: ["accept": "\(number % 3)"],
      headers: ["ETag": text])
  }

  private static func isWhole(_ response: StoredResponse) throws -> Bool {
    let tag = try #require(response.head.headers["ETag"])
    let number = try #require(Int(tag.dropLast()))
    return try response.parts == answer(number).parts
  }

  @Test(
    "kill -9 at 200 random moments leaves only whole entries for another process",
    arguments: 0..<8)
  func kills(batch: Int) async throws {
    let bench = try DiskBench()
    let store = try bench.store()
    var generator = SeededGenerator(seed: UInt64(batch))
    var found = 0
    for round in 0..<25 {
      // Which step the kill is let loose at; it falls into what comes then.
      let step = Int.random(in: 1...90, using: &generator)
      let first = Int.random(in: 0..<1_000_000, using: &generator)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          step = step as Int, first = first as Int, path = bench.url.path as String
        ] in
        let start = DispatchSemaphore(value: 0)
        Thread {
          start.wait()
          kill(getpid(), SIGKILL)
        }.start()
        let reached = Atomic(0)
        let store = try DiskCacheStore(
          folder: URL(filePath: path), maxBytes: 1 << 20,
          transient: MemoryCacheStore(maxBytes: 1 << 20), date: { DiskBench.time },
          willReach: { _ in
            if reached.add(1, ordering: .relaxed).newValue == step { start.signal() }
          }, queue: DiskQueue { $0() })
        for number in first..<first + 1_000_000 {
          store.keep(try Self.answer(number), for: .number(number % Self.keys))
          if number % 50 == 0 { store.removeAll(of: .anonymous) }
        }
      }
      for number in 0..<Self.keys {
        let key = CacheKey.number(number)
        for response in store.responses(for: key) {
          #expect(try Self.isWhole(response))
          found += 1
        }
        guard let bytes = try? Data(contentsOf: bench.file(key)) else { continue }
        guard case .responses = CacheFile.content(Array(bytes), for: key) else {
          Issue.record("key \(number) is damaged after kill \(round)")
          continue
        }
      }
      store.keep(try Self.answer(round), for: .number(round % Self.keys))
      bench.work.runAll()
    }
    #expect(found > 100)
    #expect(bench.failures.all.isEmpty)
  }
}
