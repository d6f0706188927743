import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Changes that wait for the disk")
struct PendingChangesTests {
  private var changes = PendingChanges()
  private let key = CacheKey.number(1)

  private func response(megabytes: Int) throws -> StoredResponse {
    StoredResponse(
      head: ResponseHead(url: try #require(URL(string: "https://h.example/")), statusCode: 200),
      data: Data(count: megabytes << 20), requestTime: .distantPast, responseTime: .distantPast,
      varying: [:])
  }

  /// Whether a response of 20 MB waits in the memory, which is so if no other large one waits.
  private mutating func hasRoom() throws -> Bool {
    let key = CacheKey.number(9)
    _ = changes.keep(try response(megabytes: 20), isKept: true, for: key)
    let change = changes.change(of: key)
    _ = changes.remove(key, at: .distantPast)
    return change?.applied(to: []).isEmpty == false
  }

  @Test("Of responses above 32 MB the last ones are only removed from the disk")
  mutating func full() throws {
    let before = try hasRoom()
    _ = changes.keep(try response(megabytes: 20), isKept: true, for: key)
    let after = try hasRoom()
    #expect(before && !after)
  }

  @Test(
    "What no longer waits leaves room",
    arguments: [
      { changes, key in _ = changes.remove(key, at: .distantPast) },
      { changes, key in _ = changes.removeAll(of: key.partition) },
      { changes, key in _ = changes.removeAll(at: key.url) },
      { changes, _ in _ = changes.removeAll() },
      { changes, key in _ = changes.end(1, for: key, isStuck: false) },
      { changes, key in _ = changes.end(1, for: key, isStuck: true) },
    ] as [@Sendable (inout PendingChanges, CacheKey) -> Void])
  mutating func room(release: @Sendable (inout PendingChanges, CacheKey) -> Void) throws {
    let scheduled = changes.keep(try response(megabytes: 20), isKept: true, for: key)
    #expect(scheduled.turn == 1)
    release(&changes, key)
    let hasRoom = try hasRoom()
    #expect(hasRoom)
  }
}
