import Streams
import StreamsTesting
import Testing

@Suite("Marbles that run publishers", .leakFree)
struct MarblesTests {
  enum Fault: Error, Equatable {
    case first, second
  }

  @Test("A stream that matches its diagram passes")
  func holds() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("--1--2--3--|", values: Int.init)
    #expect(try marbles.expect(source.map { $0 * 2 }, toBe: "--2--4--6--|"))
    #expect(try marbles.expect(source.map { $0 * 5 }, toBe: "--5--\"10\"--\"15\"--|"))
    #expect(try marbles.diagram(of: source.filter { $0 != 2 }).description == "--1-----3--|")
  }

  @Test(
    "A stream that does not match is refused",
    arguments: ["--2--4--6--", "--2--4--6-|", "-2--4--6--|", "--2--4--|", "--2--4--6--#", ""])
  func refused(diagram: String) throws {
    let marbles = Marbles()
    let source = try marbles.publisher("--1--2--3--|", values: Int.init)
    #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source.map { $0 * 2 }, toBe: diagram)
    }
  }

  @Test("A mismatch shows both diagrams aligned, and the meaning of symbols")
  func mismatch() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("-1-(23)#", values: Int.init, failure: Fault.first)
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(
        source.map { $0 * 10 }, toBe: "-a-b-c--|", values: ["a": 10, "b": 20, "c": 30])
    }
    #expect(
      error?.description == """
        The stream differs from its diagram
        expected: -a-b   -c--|
        actual:   -a-(bc)#
                     ^ frame 3
        a = 10
        b = 20
        c = 30
        # is first
        """)
  }

  @Test("A value without a symbol is shown as itself, and never as another value's symbol")
  func strangers() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("-2-3|", values: Int.init)
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source, toBe: "-2-3|", values: ["2": 20, "3": 3])
    }
    #expect(error?.actual.description == "-\"another 2\"-3|")
  }

  @Test("Values come from a legend or a closure and need not be Equatable")
  func values() throws {
    let marbles = Marbles()
    let pairs = try marbles.publisher("-x-y|", values: ["x": (1, "a"), "y": (2, "b")])
    try marbles.expect(pairs, toBe: "-x-y|", values: ["x": (1, "a"), "y": (2, "b")])
    try marbles.expect(pairs.map(\.0), toBe: "-1-2|", values: { Int($0) })
    try marbles.expect(pairs.map(\.1), toBe: "-a-b|")
    let error = #expect(throws: MarbleError.self) {
      try marbles.expect(pairs, toBe: "-x-z|", values: ["x": (1, "a")])
    }
    #expect(error == MarbleError(problem: .unknownValue("z"), line: 1, column: 4))
  }

  @Test("A symbol without a value and a failure without an error are refused with the column")
  func sources() {
    let marbles = Marbles()
    let value = #expect(throws: MarbleError.self) {
      try marbles.publisher("--1-x", values: Int.init)
    }
    #expect(value == MarbleError(problem: .unknownValue("x"), line: 1, column: 5))
    let failure = #expect(throws: MarbleError.self) { try marbles.publisher("--1-#") }
    #expect(failure == MarbleError(problem: .missingFailure, line: 1, column: 5))
    #expect(failure?.description.contains("failure:") == true)
  }

  @Test("A failure is compared if it is given")
  func failures() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("-a-#", failure: Fault.first)
    try marbles.expect(source, toBe: "-a-#")
    try marbles.expect(source, toBe: "-a-#", failure: .first)
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(source, toBe: "-a-#", failure: .second)
    }
    #expect(error?.notes == ["# is first", "# expected: second"])
    let finishes = try marbles.publisher("-a-|", failure: Fault.first)
    let missing = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(finishes, toBe: "-a-#", failure: .first)
    }
    #expect(missing?.notes == [])
  }

  @Test("Frames have the given length, and a signal between frames is an error")
  func frames() throws {
    let marbles = Marbles(frame: .seconds(1))
    let source = try marbles.publisher("-a|")
    try marbles.expect(
      source.delay(for: .seconds(2), scheduler: marbles.scheduler), toBe: "---a|")
    let error = #expect(throws: MarbleError.self) {
      try marbles.expect(
        source.delay(for: .milliseconds(500), scheduler: marbles.scheduler), toBe: "---a|")
    }
    #expect(
      error?.problem == .betweenFrames(time: .milliseconds(1_500), frame: .seconds(1)))
    #expect(Marbles(frame: .zero).frame == .nanoseconds(1))
  }

  @Test("A test can draw its own recording")
  func recorded() throws {
    let marbles = Marbles()
    let signals: [(time: Duration, signal: Signal<Int, Fault>)] = [
      (.milliseconds(10), .value(7)), (.milliseconds(30), .value(8)),
      (.milliseconds(30), .value(99)), (.milliseconds(60), .completion(.failure(.first))),
    ]
    #expect(try marbles.diagram(of: signals) == MarbleDiagram("-7-(8\"99\")--#"))
    #expect(
      try marbles.diagram(of: signals, since: .milliseconds(30)).description == "(8\"99\")--#")
    #expect(throws: MarbleError.self) {
      try marbles.diagram(of: signals, since: .milliseconds(5))
    }
  }

  @Test("A stream that never ends runs for a number of frames")
  func limit() throws {
    let marbles = Marbles(limit: 10)
    let timer = Publishers.Timer(every: .milliseconds(30), on: marbles.scheduler).map { _ in "t" }
    try marbles.expect(timer, toBe: "---t--t--t")
    try marbles.expect(timer, toBe: "---t--t", until: "--------!")
    #expect(throws: MarbleMismatch.self) { try marbles.expect(timer, toBe: "---t") }
    #expect(marbles.scheduler.pendingCount == 0)
  }
}
