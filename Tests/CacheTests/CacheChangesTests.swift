import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Changes that running exchanges must not undo")
struct CacheChangesTests {
  private var changes = CacheChanges()
  private let response = StoredResponse(
    head: ResponseHead(url: URL(fileURLWithPath: "/"), statusCode: 200), data: Data(),
    requestTime: .distantPast, responseTime: .distantPast, varying: [:])

  private func key(_ number: Int = 0) -> CacheKey {
    CacheKey(url: "https://h.example/\(number)", partition: .anonymous)
  }

  private mutating func invalidate(_ numbers: ClosedRange<Int>) {
    changes.forget(numbers.map { key($0).url })
  }

  private mutating func keep(_ number: Int, since start: Int) -> String? {
    changes.keep(response, for: key(number), since: start)
  }

  @Test("4,096 invalidated targets are remembered, and one more ends all running exchanges")
  mutating func manyTargets() {
    let start = changes.begin()
    invalidate(1...4_096)
    let (other, one) = (keep(0, since: start), keep(1, since: start))
    #expect(other == nil && one == "invalidated while it was under way")
    invalidate(4_097...4_097)
    let old = keep(5_000, since: start)
    #expect(old == "invalidated while it was under way")
    // Nothing is remembered of the targets, and a later exchange of one is stored.
    let later = changes.begin()
    let stored = keep(1, since: later)
    #expect(stored == nil)
    // The next invalidated target ends only its own exchanges.
    let running = changes.begin()
    invalidate(9_000...9_000)
    let unrelated = keep(8_000, since: running)
    #expect(unrelated == nil)
  }

  @Test("4,096 stored responses are remembered, and one more ends all running exchanges")
  mutating func manyResponses() {
    let start = changes.begin()
    let later = changes.begin()
    for number in 1...4_096 { _ = keep(number, since: later) }
    let (other, one) = (keep(1, since: start), keep(0, since: later))
    #expect(other == "a later response is stored" && one == nil)
    let old = keep(5_000, since: start)
    #expect(old == "invalidated while it was under way")
  }

  @Test("A response is validated in the background once at a time")
  mutating func refreshes() {
    let first = changes.beginRefresh(of: response, for: key())
    let second = changes.beginRefresh(of: response, for: key())
    let other = changes.beginRefresh(of: response, for: key(1))
    #expect(first && !second && other)
    changes.endRefresh(of: response, for: key())
    let third = changes.beginRefresh(of: response, for: key())
    #expect(third)
  }
}
