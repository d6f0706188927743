import RESTKit
import RESTKitTesting
import Testing

@Suite("ST-02: Repetition of a stub")
struct StubRepeatTests {
  @Test("A stub responds once by default")
  func once() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    try stubs.text("/a")
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }

  @Test("repeats() responds exactly that many times")
  func repeats() throws {
    let stubs = StubTransport(.text("1", for: "/a").repeats(3).then("2", for: "/a"))
    for _ in 1...2 { #expect(try stubs.text("/a") == "1") }
    #expect(stubs.unusedStubs.first?.hasPrefix("Only 2 of 3 requests came for GET ") == true)
    #expect(try stubs.text("/a") == "1")
    #expect(try stubs.text("/a") == "2")
    #expect(throws: StubError.self) { try stubs.text("/a") }
    #expect(stubs.unusedStubs.isEmpty)
  }

  @Test("The script does not continue before a repeating stub was used often enough")
  func inOrder() throws {
    let stubs = StubTransport(.text("1", for: "/a").repeats(2).then("2", for: "/b"))
    try stubs.text("/a")
    #expect(throws: StubError.self) { try stubs.text("/b") }
    try stubs.text("/a")
    #expect(try stubs.text("/b") == "2")
  }

  @Test("always() responds to any number of requests, and expects at least one")
  func always() throws {
    let stubs = StubTransport(.text("1", for: "/a").always())
    #expect(stubs.unusedStubs.count == 1)
    for _ in 1...100 { #expect(try stubs.text("/a") == "1") }
    try stubs.verify()
  }

  @Test("After an always() stub, the script continues with the first request for the next stub")
  func afterAlways() throws {
    let stubs = StubTransport(
      .text("1", for: "/a").always().then("2", for: "/b").then("3", for: "/a"))
    for _ in 1...3 { #expect(try stubs.text("/a") == "1") }
    #expect(try stubs.text("/b") == "2")
    #expect(try stubs.text("/a") == "3")
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }

  @Test("The script continues without an optional stub that is not used")
  func optional() throws {
    let script = StubAPIResponse.text("1", for: "/a").then("2", for: "/b").optional()
      .then("3", for: "/c")
    let without = StubTransport(script)
    try without.text("/a")
    #expect(try without.text("/c") == "3")
    #expect(throws: StubError.self) { try without.text("/b") }
    #expect(without.unusedStubs.isEmpty)

    let with = StubTransport(script)
    for path in ["/a", "/b", "/c"] { try with.text(path) }
    try with.verify()
  }

  @Test("A stub with always() and optional() accepts any number of requests", arguments: 0...2)
  func any(count: Int) throws {
    let stubs = StubTransport(.text("1", for: "/a").always().optional())
    for _ in 0..<count { try stubs.text("/a") }
    try stubs.verify()
  }

  @Test("An optional stub stays optional with always() after it", arguments: 0...2)
  func optionalAlways(count: Int) throws {
    let stubs = StubTransport(.text("1", for: "/a").optional().always())
    for _ in 0..<count { try stubs.text("/a") }
    try stubs.verify()
  }

  @Test("An optional stub stays optional with repeats() after it", arguments: 0...3)
  func optionalRepeats(count: Int) throws {
    let stubs = StubTransport(.text("1", for: "/a").optional().repeats(3).then("2", for: "/b"))
    for _ in 0..<count { try stubs.text("/a") }
    try stubs.text("/b")
    try stubs.verify()
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }

  @Test("always() after repeats() expects at least one request")
  func repeatsAlways() throws {
    let stubs = StubTransport(.text("1", for: "/a").repeats(3).always())
    #expect(stubs.unusedStubs.count == 1)
    try stubs.text("/a")
    try stubs.verify()
  }

  @Test("A repetition applies only to the last response")
  func lastOnly() throws {
    let stubs = StubTransport(.text("1", for: "/a").then("2", for: "/b").always())
    try stubs.text("/a")
    try stubs.text("/b")
    try stubs.text("/b")
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }

  @Test("A repetition below one counts as one", arguments: [0, -1])
  func none(count: Int) throws {
    let stubs = StubTransport(.text("1", for: "/a").repeats(count))
    try stubs.text("/a")
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }
}
