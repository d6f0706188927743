import Streams
import StreamsTesting
import Testing

@Suite("Sources that play marble diagrams", .leakFree)
struct MarbleSourceTests {
  @Test("A cold source plays from the start for each subscriber")
  func cold() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("-1-#", values: Int.init, failure: MarblesTests.Fault.first)
    try marbles.expect(
      source.retry(2), toBe: "-1--1--1-#", subscriptions: [source.subscribed("^--^--^")])
  }

  @Test("A legend gives the values of a source that fails, and an error names missing symbols")
  func legend() throws {
    let marbles = Marbles()
    let source = try marbles.publisher(
      "-a-b#", values: ["a": 1, "b": 20], failure: MarblesTests.Fault.first)
    try marbles.expect(
      source.map { $0 + 1 }, toBe: "-x-y#", values: ["x": 2, "y": 21], failure: .first)
    #expect(throws: MarbleError.self) {
      try marbles.publisher("-c", values: ["a": 1], failure: MarblesTests.Fault.first)
    }
  }

  @Test("A hot source plays with the test, from before its start")
  func hot() throws {
    let marbles = Marbles()
    let early = try marbles.publisher("1-2-^-3-4|", values: Int.init)
    let late = try marbles.publisher("(^a)b|")
    let latest = CurrentValueSubject<Int, Never>(0)
    let link = early.sink { latest.send($0) }
    try marbles.expect(latest.prefix(3).merge(with: late.map { _ in 0 }), toBe: "(20)0 3-(4|)")
    withExtendedLifetime(link) {}
  }

  @Test("A hot source plays anew in each test, even if the previous test stopped early")
  func again() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("a^-b-c|")
    for _ in 0..<2 {
      try marbles.expect(source, toBe: "--b-c|", subscriptions: [source.subscribed("^")])
      try marbles.expect(source, toBe: "--b", until: "---!")
      #expect(throws: MarbleMismatch.self) { try marbles.expect(source, toBe: "") }
    }
  }

  @Test("A hot source that has ended sends the end to late subscribers")
  func ended() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("^1|")
    try marbles.expect(source, toBe: "---|", until: "---^")
    let failing = try marbles.publisher("^1#", failure: MarblesTests.Fault.first)
    try marbles.expect(
      failing, toBe: "-1#", subscriptions: [failing.subscribed("^")])
  }

  @Test("Values of a cold source wait for demand, and those of a hot source do not")
  func demand() throws {
    let marbles = Marbles()
    let cold = try marbles.publisher("-123|")
    try marbles.expect(
      cold, toBe: "-1---(23|)", demand: "1----*", subscriptions: [cold.asked("1----*")])
    let hot = try marbles.publisher("^123|")
    try marbles.expect(hot, toBe: "-1-3|", demand: "1--2")
    try marbles.expect(cold, toBe: "", demand: "0")
    try marbles.expect(cold, toBe: "----(123|)", demand: "----\"10\"")
  }

  @Test("A subscriber subscribes and cancels at the times of its line")
  func stay() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("-1-2-3|")
    try marbles.expect(
      source, toBe: "---1-2", until: "--^---!", subscriptions: [source.subscribed("--^---!")])
    try marbles.expect(
      source.prefix(1), toBe: "-(1|)", subscriptions: [source.subscribed("^!")])
    try marbles.expect(source, toBe: "", until: "(^!)")
    for text in ["^-^", "^-!-!", "!-^"] {
      let error = #expect(throws: MarbleError.self) {
        try marbles.expect(source, toBe: "", until: text)
      }
      #expect(error?.problem == .notOneSubscription)
    }
  }

  @Test("An unexpected event at a source is refused")
  func refused() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("-1-2|")
    let subscription = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source, toBe: "-1", until: "--!", subscriptions: [source.subscribed("^-")])
    }
    #expect(
      subscription?.description == """
        A source's subscription differs from its diagram
        expected: ^-
        actual:   ^-!
                    ^ frame 2
        """)
    let demand = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source, toBe: "-1-2|", demand: "12", subscriptions: [source.asked("3")])
    }
    #expect(demand?.actual.description == "12")
  }

  @Test("Values requested while one is delivered are sent in order")
  func reentrancy() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("(123|)", values: Int.init)
    let subscriber = TestSubscriber<Int, Never>(demand: .max(1)) { subscriber, value in
      if value == 1 { subscriber.request(.max(1)) }
      return value == 2 ? .max(1) : .none
    }
    source.subscribe(subscriber)
    marbles.scheduler.run()
    #expect(subscriber.values == [1, 2, 3])
    #expect(subscriber.isFinished)
    #expect(subscriber.overlaps == 0)
  }
}
