import Streams
import StreamsTesting
import Testing

@Suite("Times in marble lines", .leakFree)
struct MarbleTimeTests {
  @Test(
    "A time for itself between spaces is as many frames as it lasts",
    arguments: [
      ("a 30ms b", "a---b"), ("30ms a|", "---a|"), ("-a 20ms", "-a--"), ("a 0ms b", "ab"),
      ("a 0.05s b", "a-----b"), ("a 30.0ms b", "a---b"), ("a 10ms  10ms b", "a--b"),
      ("a\n20ms\tb", "a--b"), ("a2ms b", "a\"2\"msb"), ("a 2msb", "a\"2\"msb"),
      ("a 2 s", "a\"2\"s"),
      ("2m", "2\"m\""), ("1.s", "1.\"s\""), (".5s", ".\"5\"s"), ("(a2s)", "(a\"2\"s)"),
      ("\"2\"s", "\"2\"\"s\""), ("é 10ms é", "é-é"),
    ])
  func reading(text: String, same: String) throws {
    #expect(try MarbleDiagram(text) == MarbleDiagram(same))
  }

  @Test("Seconds and minutes are counted in frames of any length")
  func units() throws {
    #expect(try MarbleDiagram("2s a").events.first?.frame == 200)
    #expect(try MarbleDiagram("1min a", frame: .seconds(1)).events.first?.frame == 60)
    #expect(try MarbleDiagram("1.5min a", frame: .seconds(45)).events.first?.frame == 2)
    #expect(try MarbleDiagram("0.000001ms a", frame: .nanoseconds(1)).events.first?.frame == 1)
    #expect(try MarbleDiagram("1ms", frame: .zero).frameCount == 1_000_000)
    let kinds: [(MarbleDiagram.Kind, String)] = [
      (.source, "^ 1s a"), (.demand, "1 1s *"), (.subscriptions, "^ 1s !"),
    ]
    for (kind, text) in kinds {
      #expect(try MarbleDiagram(text, kind: kind).events.last?.frame == 101)
    }
    let chart = try MarbleChart("source: a 2s b")
    #expect(try chart.diagram("source").events.last?.frame == 201)
    #expect(try chart.diagram("source", frame: .seconds(1)).events.last?.frame == 3)
  }

  @Test("A time that is no number of frames, or of too many, is an error that names it")
  func errors() throws {
    let texts = [
      "5ms", "0.0001ms", "3.14159ms", "9999999999s", "99999999999999999999s", "20000min",
      "0.0000000000000001s",
    ]
    for text in texts {
      let frame: Duration = text == "20000min" ? .milliseconds(1) : .milliseconds(10)
      let error = #expect(throws: MarbleError.self) {
        try MarbleDiagram("a \(text) b", frame: frame)
      }
      #expect(error == MarbleError(problem: .unfitTime(text, frame: frame), line: 1, column: 3))
      #expect(error?.description.contains("\(text) is no whole number of frames of") == true)
    }
    let many = #expect(throws: MarbleError.self) {
      try MarbleDiagram("6000000s 6000000s")
    }
    #expect(many?.column == 10)
    let inside = #expect(throws: MarbleError.self) { try MarbleDiagram("-(a 2s b)") }
    #expect(inside == MarbleError(problem: .misplacedTime("2s"), line: 1, column: 5))
    #expect(inside?.description.contains("2s inside a group") == true)
  }

  @Test("A word of more than forty characters is no time")
  func longest() throws {
    let digits = String(repeating: "9", count: 39)
    let error = #expect(throws: MarbleError.self) { try MarbleDiagram("a \(digits)s b") }
    #expect(error?.problem == .unfitTime("\(digits)s", frame: .milliseconds(10)))
    #expect(try MarbleDiagram("a 9\(digits)s b").events.count == 43)
  }

  @Test("A long pause is written as a time, and reads as the same line")
  func writing() throws {
    let line = String(repeating: "-", count: 100)
    #expect(try MarbleDiagram("a 1s b").description == "a\(line)b")
    #expect(try MarbleDiagram("a 1010ms b").description == "a 1010ms b")
    #expect(try MarbleDiagram("2s b 90min").description == " 2s b 5400s")
    #expect(try MarbleDiagram("a 2s b", frame: .seconds(1)).description == "a--b")
    let fine = try MarbleDiagram("a 1.0203ms b", frame: .nanoseconds(100))
    #expect(fine.description == "a 1.0203ms b")
    for values in ["2s", "12ms", "1.5min", "30msx", "-2s-"] {
      let events = values.enumerated().filter { $1 != "-" }.map {
        MarbleEvent(frame: $0, mark: .value(String($1)))
      }
      let diagram = MarbleDiagram(events: events)
      #expect(try MarbleDiagram(diagram.description) == diagram, "\(diagram)")
    }
  }

  @Test("Lines with long pauses stay aligned, and the pointer finds their difference")
  func aligned() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("a 3s b|")
    let error = #expect(throws: MarbleMismatch.self) { try marbles.expect(source, toBe: "a 2s b|") }
    #expect(
      error?.description == """
        The stream differs from its diagram
        expected: a 2s b|
        actual:   a 2s \(String(repeating: "-", count: 100))b|
                       ^ frame 201
        """)
    let lines = try MarbleDiagram.aligned(MarbleDiagram("a 5s b"), MarbleDiagram("a-c"))
    #expect(lines.0 == "a-- 4980ms b")
    #expect(lines.1 == "a-c")
  }

  @Test("Days pass in a moment, and their mismatch is short")
  func days() throws {
    let marbles = Marbles()
    let source = try marbles.publisher("a 86400s b|")
    try marbles.expect(source, toBe: "a 1440min b|", until: "^ 90000s !")
    let late = source.delay(for: .seconds(3_600), scheduler: marbles.scheduler)
    let error = #expect(throws: MarbleMismatch.self) {
      try marbles.expect(late, toBe: "3600s a 86400s (b|)")
    }
    #expect(error?.description.contains("actual:    3600s a 86400s b   |") == true)
    let slow = Marbles(frame: .milliseconds(1))
    try slow.expect(
      slow.publisher("a|").delay(for: .seconds(300), scheduler: slow.scheduler), toBe: "5min a|")
    let between = try slow.publisher("a|").delay(
      for: .microseconds(500), scheduler: slow.scheduler)
    let rest = #expect(throws: MarbleError.self) { try slow.expect(between, toBe: "-a|") }
    #expect(rest?.problem == .betweenFrames(time: .microseconds(500), frame: .milliseconds(1)))
  }

  @Test("Expectations of demand and subscriptions carry times, too")
  func sources() throws {
    let marbles = Marbles(frame: .milliseconds(100))
    let source = try marbles.publisher("(12|)")
    try marbles.expect(
      source, toBe: "1 2.9s (2|)", demand: "1 2.9s *", until: "^",
      subscriptions: [source.subscribed("^"), source.asked("1 2900ms *")])
  }
}
