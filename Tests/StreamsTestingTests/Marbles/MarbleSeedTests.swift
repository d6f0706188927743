import Streams
import StreamsTesting
import Testing

@Suite("Marbles on a scheduler with a seed", .leakFree)
struct MarbleSeedTests {
  private static let seeds = UInt64(0)..<100

  private func explore(_ body: (Marbles) throws -> Void) throws {
    try TestScheduler.explore(seeds: Self.seeds) { try body(Marbles($0)) }
  }

  @Test("The subscriber acts before a hot source of the same frame, whatever the seed")
  func hot() throws {
    try explore { marbles in
      let source = try marbles.publisher("1-(^2)-3-4|")
      try marbles.expect(source.first(), toBe: "(2|)", subscriptions: [source.subscribed("(^!)")])
      try marbles.expect(source, toBe: "--3", until: "--^-!")
      try marbles.expect(source, toBe: "--3-4|", until: "-^")
      try marbles.expect(
        source, toBe: "2---4|", demand: "1---1", subscriptions: [source.asked("1---1")])
    }
  }

  @Test("The subscriber acts before a cold source of the same frame, whatever the seed")
  func cold() throws {
    try explore { marbles in
      let source = try marbles.publisher("1-2-3|")
      try marbles.expect(source, toBe: "1-", until: "^-!")
      try marbles.expect(source, toBe: "1---(23)|", demand: "1---*")
      try marbles.expect(source, toBe: "--1-2", until: "--^---!")
    }
  }

  @Test("A hot source keeps its own order, and that of its frames, whatever the seed")
  func ownOrder() throws {
    try explore { marbles in
      let source = try marbles.publisher("(ab)^(cde)(fg|)")
      try marbles.expect(source, toBe: "-(cde)(fg|)")
    }
  }

  @Test("A seed changes the order of two sources, and of a source and a timer, in one frame")
  func changes() throws {
    var sources: Set<String> = []
    var timers: Set<String> = []
    try explore { marbles in
      let (one, other) = (try marbles.publisher("^-a-|"), try marbles.publisher("^-b-|"))
      sources.insert(try marbles.diagram(of: one.merge(with: other)).description)
      let typed = try marbles.publisher("^a--b-----|")
      timers.insert(
        try marbles.diagram(
          of: typed.debounce(for: .milliseconds(30), scheduler: marbles.scheduler)
        ).description)
    }
    #expect(sources == ["--(ab)-|", "--(ba)-|"])
    #expect(timers == ["----a--b--|", "-------b--|"])
  }

  @Test("Without a seed, the order of one frame is that of scheduling")
  func unseeded() throws {
    for _ in 0..<20 {
      let marbles = Marbles()
      let (one, other) = (try marbles.publisher("^-a-|"), try marbles.publisher("^-b-|"))
      try marbles.expect(one.merge(with: other), toBe: "--(ab)-|")
    }
  }

  @Test("A hot source that begins with the test plays again after it has ended")
  func again() throws {
    try explore { marbles in
      let source = try marbles.publisher("(^a)b|")
      for _ in 0..<3 { try marbles.expect(source, toBe: "ab|") }
    }
  }
}

@Suite("Marbles with long lines", .leakFree, .timeLimit(.minutes(10)))
struct MarbleLengthTests {
  private let line = String(repeating: "-", count: 1_499) + "a|"

  @Test("A stream of 1,500 frames is seen as a whole, and a wrong line is still refused")
  func long() throws {
    let marbles = Marbles()
    for source in [try marbles.publisher(line), try marbles.publisher("-^" + line.dropFirst())] {
      try marbles.expect(source, toBe: line)
      let end = String(repeating: "-", count: 1_502) + "!"
      try marbles.expect(source, toBe: line, until: "^" + end.dropFirst())
    }
    let never = try marbles.publisher("^")
    try marbles.expect(never, toBe: "", demand: String(repeating: "-", count: 1_499) + "1")
    let source = try marbles.publisher(line)
    #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source, toBe: line.dropLast(2) + "b|")
    }
    #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source, toBe: String(line.dropLast()))
    }
  }

  @Test("The first line of a mismatch names the limit if the test was cut off there")
  func named() throws {
    let marbles = Marbles(limit: 20)
    let source = try marbles.publisher(String(repeating: "-", count: 25) + "a|")
    let cut = #expect(throws: MarbleMismatch.self) { try marbles.expect(source, toBe: "(a|)") }
    #expect(
      cut?.description.hasPrefix(
        "The stream differs from its diagram; the test was cut off after its limit of 20 frames\n")
        == true)
    let asked = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(
        source, toBe: "", until: "^---------------------------------!",
        subscriptions: [source.subscribed("-^")])
    }
    #expect(asked?.description.hasPrefix("The stream differs from its diagram\n") == true)
    let subscription = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source, toBe: "", subscriptions: [source.subscribed("-^")])
    }
    #expect(
      subscription?.description.hasPrefix(
        "A source's subscription differs from its diagram; the test was cut off after its limit")
        == true)
    let whole = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(Just("a"), toBe: "-(a|)")
    }
    #expect(whole?.description.hasPrefix("The stream differs from its diagram\n") == true)
  }

  @Test("Equal diagrams are one in a set, whatever the length of their frames")
  func hashing() throws {
    let diagrams = try [
      MarbleDiagram("-a-|"), MarbleDiagram("-a-|", frame: .seconds(1)), MarbleDiagram("-b-|"),
    ]
    #expect(Set(diagrams).count == 2)
    #expect(diagrams[0] == diagrams[1])
  }
}
