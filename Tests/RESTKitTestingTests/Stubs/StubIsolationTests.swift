import RESTKit
import RESTKitTesting
import Streams
import Synchronization
import Testing

@Suite("Independent stubs")
struct StubIsolationTests {
  @Test("ST-01: A thousand concurrent clients with their own transports do not interfere")
  func isolated() async throws {
    try await withThrowingTaskGroup { group in
      for number in 0..<1_000 {
        group.addTask {
          let stubs = StubTransport(
            .text("\(number)", for: "/a").then("\(number) again", for: "/b"))
          #expect(try stubs.text("/a") == "\(number)")
          #expect(try stubs.text("/b") == "\(number) again")
          #expect(stubs.requests.count == 2)
          try stubs.verify()
        }
      }
      try await group.waitForAll()
    }
  }

  @Test("One transport serves many threads, and each response once")
  func shared() async throws {
    var script = StubAPIResponse.text("0", for: "/a")
    for number in 1..<200 { script = script.then("\(number)", for: "/a") }
    let stubs = StubTransport(script)
    let texts = try await withThrowingTaskGroup { group in
      for _ in 0..<200 { group.addTask { try stubs.text("/a") } }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(texts.count == 200)
    #expect(stubs.requests.count == 200)
    try stubs.verify()
  }

  @Test("A response serves only one request, even if another arrives during its matching")
  func overtaken() throws {
    let transport = Mutex<StubTransport?>(nil)
    let overtaking = Mutex<String?>(nil)
    let first = StubRequest.get("/a").matching("may be overtaken") { _ in
      if let stubs = transport.withLock({ $0.take() }) {
        let text = try? stubs.text("/a")
        overtaking.withLock { $0 = text }
      }
      return true
    }
    let stubs = StubTransport(
      StubAPIResponse(request: first, result: .json("1")).then("2", for: "/a"))
    transport.withLock { $0 = stubs }
    #expect(try stubs.text("/a") == "2")
    #expect(overtaking.withLock { $0 } == "1")
    try stubs.verify()
  }

  @Test("A transport is released with its last reference")
  func released() throws {
    weak var released: StubTransport?
    do {
      let stubs = StubTransport(.text("1", for: "/a"))
      released = stubs
      try stubs.text("/a")
    }
    #expect(released == nil)
  }
}
