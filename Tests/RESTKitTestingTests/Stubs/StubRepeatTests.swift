import RESTKit
import RESTKitTesting
import Testing

@Suite("ST-02: How often a stub answers")
struct StubRepeatTests {
  @Test("Once, unless it is said otherwise")
  func once() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    try stubs.text("/a")
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }

  @Test("So many times as it repeats, no less and no more")
  func repeats() throws {
    let stubs = StubTransport(.text("1", for: "/a").repeats(3).then("2", for: "/a"))
    for _ in 1...2 { #expect(try stubs.text("/a") == "1") }
    #expect(stubs.unusedStubs.first?.hasPrefix("Only 2 of 3 requests came for GET ") == true)
    #expect(try stubs.text("/a") == "1")
    #expect(try stubs.text("/a") == "2")
    #expect(throws: StubError.self) { try stubs.text("/a") }
    #expect(stubs.unusedStubs.isEmpty)
  }

  @Test("One that repeats does not let the script go on before it was given often enough")
  func inOrder() throws {
    let stubs = StubTransport(.text("1", for: "/a").repeats(2).then("2", for: "/b"))
    try stubs.text("/a")
    #expect(throws: StubError.self) { try stubs.text("/b") }
    try stubs.text("/a")
    #expect(try stubs.text("/b") == "2")
  }

  @Test("Always: as often as it is asked for, and once at least")
  func always() throws {
    let stubs = StubTransport(.text("1", for: "/a").always())
    #expect(stubs.unusedStubs.count == 1)
    for _ in 1...100 { #expect(try stubs.text("/a") == "1") }
    try stubs.verify()
  }

  @Test("Behind one that is always given, the script goes on with the first request for the next")
  func afterAlways() throws {
    let stubs = StubTransport(
      .text("1", for: "/a").always().then("2", for: "/b").then("3", for: "/a"))
    for _ in 1...3 { #expect(try stubs.text("/a") == "1") }
    #expect(try stubs.text("/b") == "2")
    #expect(try stubs.text("/a") == "3")
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }

  @Test("An optional stub may be left out, and the script goes on without it")
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

  @Test(
    "One that is optional and always given may be asked for any number of times", arguments: 0...2)
  func any(count: Int) throws {
    let stubs = StubTransport(.text("1", for: "/a").always().optional())
    for _ in 0..<count { try stubs.text("/a") }
    try stubs.verify()
  }

  @Test("It counts for the last response only")
  func lastOnly() throws {
    let stubs = StubTransport(.text("1", for: "/a").then("2", for: "/b").always())
    try stubs.text("/a")
    try stubs.text("/b")
    try stubs.text("/b")
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }

  @Test("To repeat less than once is once", arguments: [0, -1])
  func none(count: Int) throws {
    let stubs = StubTransport(.text("1", for: "/a").repeats(count))
    try stubs.text("/a")
    #expect(throws: StubError.self) { try stubs.text("/a") }
  }
}
