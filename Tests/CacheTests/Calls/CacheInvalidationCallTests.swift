import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Calls that change a resource invalidate stored responses", .leakFree)
struct CacheInvalidationCallTests {
  private let world = CacheWorld()

  private func keep(_ paths: String...) {
    for path in paths { world.fetch(path, headers: ["Cache-Control": "max-age=60"]) }
  }

  private func isKept(_ path: String) -> Bool {
    world.get(path, ["Cache-Control": "only-if-cached"]).values.first?.statusCode == 200
  }

  @Test("RFC 9111 §4.4: a change invalidates the target and its Locations in the same origin")
  func targets() {
    keep("a", "a/1", "a/latest", "b")
    world.begin(world.api.post(endpoint: "a", body: nil))
    world.transport.answer(
      4, 201,
      headers: ["Location": "/a/1", "Content-Location": "https://api.example.com/a/latest"])
    #expect(["a", "a/1", "a/latest", "b"].map(isKept) == [false, false, false, true])
  }

  @Test("An error invalidates nothing", arguments: [400, 404, 500])
  func errors(status: Int) {
    keep("a")
    world.begin(world.api.delete(endpoint: "a"))
    world.transport.answer(1, status)
    #expect(isKept("a"))
  }

  @Test("An upload, whose response comes in pieces, invalidates, too")
  func upload() {
    keep("a")
    world.begin(world.api.upload(.put, endpoint: "a", body: .data(Data("x".utf8))))
    world.transport.answer(1, 204)
    #expect(!isKept("a"))
  }

  @Test("A response requested before a change that arrives after it is not stored")
  func race() throws {
    let reading = world.get()
    world.begin(world.api.put(endpoint: "a", body: nil))
    world.transport.answer(1, 204)
    world.transport.answer(0, headers: ["Cache-Control": "max-age=60"], body: "old")
    #expect(reading.values.map(\.text) == ["old"])
    let detail = "not stored: invalidated while it was under way"
    #expect(reading.values.first?.cacheStatus == .forwarded(.uriMiss, detail: detail))
    #expect(!isKept("a"))
    keep("a")
    #expect(isKept("a"))
  }

  @Test("A change by one user invalidates for all users", arguments: [nil, "me", "you"])
  func principals(name: String?) {
    let fields = name.map { ["Authorization": $0] } ?? [:]
    for principal in [[:], ["Authorization": "me"]] {
      world.fetch("a", principal, headers: ["Cache-Control": "max-age=60"])
    }
    world.begin(world.api.post(endpoint: "a", body: nil) { $0.adding(fields) })
    world.transport.answer(2, 200)
    #expect(!isKept("a"))
    #expect(world.get("a", ["Authorization": "me"]).values.isEmpty)
  }

  @Test("A late response to an early request does not replace a later one")
  func late() {
    let early = world.get()
    let later = world.get()
    world.transport.answer(1, headers: ["Cache-Control": "max-age=60"], body: "new")
    world.transport.answer(0, headers: ["Cache-Control": "max-age=60"], body: "old")
    #expect(early.values.map(\.text) == ["old"])
    let detail = "not stored: a later response is stored"
    #expect(early.values.first?.cacheStatus == .forwarded(.uriMiss, detail: detail))
    #expect(later.values.map(\.text) == ["new"])
    #expect(world.get().values.map(\.text) == ["new"])
  }
}
