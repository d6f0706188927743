import Streams
import StreamsTesting
import Testing

@Suite("The examples of Docs/Marbles.md run", .leakFree)
struct MarblesExamples {
  struct Outage: Error {}

  @Test("The first example")
  func first() throws {
    // snippet: first
    let marbles = Marbles()
    let source = try marbles.publisher("--1--2--3--|", values: Int.init)
    try marbles.expect(source.map { $0 * 2 }, toBe: "--2--4--6--|")
    // end
  }

  @Test("A cold source")
  func cold() throws {
    let marbles = Marbles()
    // snippet: cold
    let source = try marbles.publisher("-1-#", values: Int.init, failure: Outage())
    try marbles.expect(
      source.retry(1), toBe: "-1--1-#",
      subscriptions: [source.subscribed("^--^")])
    // end
  }

  @Test("A hot source")
  func hot() throws {
    let marbles = Marbles()
    // snippet: hot
    let source = try marbles.publisher("1-2-^-3-4|")
    try marbles.expect(source.first(), toBe: "--(3|)")
    // end
  }

  @Test("Values of sources")
  func values() throws {
    let marbles = Marbles()
    // snippet: values
    let numbers = try marbles.publisher("-1-2-|", values: Int.init)
    let pairs = try marbles.publisher("-x-y-|", values: ["x": (1, "one"), "y": (2, "two")])
    let words = try marbles.publisher("-a-\"long one\"-|")
    // end
    try marbles.expect(numbers, toBe: "-1-2-|")
    try marbles.expect(pairs.map(\.1), toBe: "-\"one\"-\"two\"-|")
    try marbles.expect(words, toBe: "-a-\"long one\"-|")
  }

  @Test("Expectations")
  func expect() throws {
    let marbles = Marbles()
    // snippet: expect
    let numbers = try marbles.publisher("-1-2-|", values: Int.init)
    #expect(try marbles.expect(numbers.map { $0 * 10 }, toBe: "-\"10\"-\"20\"-|"))
    #expect(
      try marbles.expect(numbers.scan(0, +).collect(), toBe: "-----(x|)", values: ["x": [1, 3]]))
    // end
  }

  @Test("Time")
  func time() throws {
    let marbles = Marbles()
    // snippet: time
    let typed = try marbles.publisher("-a-b----c---|")
    try marbles.expect(
      typed.debounce(for: .milliseconds(30), scheduler: marbles.scheduler),
      toBe: "      ------b----c|")
    // end
  }

  @Test("Demand")
  func demand() throws {
    let marbles = Marbles()
    // snippet: demand
    let source = try marbles.publisher("(123)--|")
    try marbles.expect(
      source.filter { $0 != "1" }, toBe: "2---(3|)", demand: "1---*",
      subscriptions: [source.asked("(11)---*")])
    // end
  }

  @Test("Subscriptions")
  func until() throws {
    let marbles = Marbles()
    // snippet: until
    let source = try marbles.publisher("-1-2-3-|", values: Int.init)
    try marbles.expect(
      source.map { $0 + 1 }, toBe: "---2-3", until: "--^---!",
      subscriptions: [source.subscribed("--^---!")])
    try marbles.expect(
      source.prefix(2), toBe: "-1-(2|)", subscriptions: [source.subscribed("^--!")])
    // end
  }

  @Test("A chart")
  func chart() throws {
    let marbles = Marbles()
    // snippet: chart
    let chart = try MarbleChart(
      """
      source: --1--2--|
      zip(other)
      other:  ---4----5--|
      result: ---x----(y|)
      x = (1, 4)
      y = (2, 5)
      """)
    let source = try marbles.publisher(
      chart.diagram("source"), values: { Int($0) }, failure: Outage())
    let other = try marbles.publisher(
      chart.diagram("other"), values: { Int($0) }, failure: Outage())
    #expect(chart.call == "zip(other)")
    #expect(chart.legend["x"] == "(1, 4)")
    try marbles.expect(
      source.zip(other), toBe: chart.diagram("result").description,
      values: ["x": (1, 4), "y": (2, 5)])
    // end
  }
}
