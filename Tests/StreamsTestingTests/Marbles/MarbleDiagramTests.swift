import StreamsTesting
import Testing

@Suite("Reading a marble diagram", .leakFree)
struct MarbleDiagramTests {
  private func events(
    _ text: String, _ kind: MarbleDiagram.Kind = .signals
  ) throws -> [MarbleEvent] {
    try MarbleDiagram(text, kind: kind).events
  }

  @Test("Each character except a space is one frame")
  func frames() throws {
    let expected = [
      MarbleEvent(frame: 2, mark: .value("1")), MarbleEvent(frame: 5, mark: .value("é")),
      MarbleEvent(frame: 6, mark: .finished),
    ]
    #expect(try events("--1--é|") == expected)
    #expect(try events("  -- 1 -\t- é|  ") == expected)
    #expect(try MarbleDiagram("--1--é|--").frameCount == 9)
    #expect(try MarbleDiagram("--1--é|--").agrees(with: MarbleDiagram("--1--é|")))
    #expect(try MarbleDiagram("").frameCount == 0)
  }

  @Test("Lines are equal if their kind, their events and their length are, whatever the frame is")
  func equality() throws {
    let line = try MarbleDiagram("-1-")
    #expect(try line == MarbleDiagram("-1-", frame: .seconds(1)))
    for other in [
      try MarbleDiagram("-2-"), try MarbleDiagram("1--"), try MarbleDiagram("-1--"),
      try MarbleDiagram("-1-", kind: .source), try MarbleDiagram("-1-", kind: .demand),
    ] {
      #expect(line != other && other != line, "\(other)")
    }
    #expect(try line.agrees(with: MarbleDiagram("-1--", kind: .source)))
    #expect(try !line.agrees(with: MarbleDiagram("-2-")))
  }

  @Test("A group is one frame, and so is a quoted value")
  func groups() throws {
    #expect(
      try events("-(a\"b c\"|)") == [
        MarbleEvent(frame: 1, mark: .value("a")), MarbleEvent(frame: 1, mark: .value("b c")),
        MarbleEvent(frame: 1, mark: .finished),
      ])
    #expect(try MarbleDiagram("-(ab)-\"12\"-#").events.map(\.frame) == [1, 1, 3, 5])
  }

  @Test("Quotes can hold any text, including notation characters and escapes")
  func quotes() throws {
    #expect(try events(#""-(|#^!*)""#).map(\.mark) == [.value("-(|#^!*)")])
    #expect(
      try events(#""\"\\\n\t\r\u{1F600}""""#).map(\.mark) == [
        .value("\"\\\n\t\r\u{1F600}"), .value(""),
      ])
  }

  @Test("A demand line has numbers and the sign for unlimited demand")
  func demand() throws {
    #expect(
      try events("2-0(19)\"12\"*", .demand).map(\.mark)
        == [.value("2"), .value("0"), .value("1"), .value("9"), .value("12"), .unlimited])
  }

  @Test("A subscription line has subscriptions and cancels, and a hot source the test's start")
  func subscriptions() throws {
    #expect(
      try events("-^-!(^!)", .subscriptions).map(\.mark)
        == [.subscription, .cancel, .subscription, .cancel])
    #expect(try events("1-^-2", .source).map(\.mark) == [.value("1"), .subscription, .value("2")])
  }

  @Test(
    "An invalid diagram is refused with the place and the remedy",
    arguments: [
      Fault("--(1|", 3, .openGroup, "write )"),
      Fault("-1)-", 3, .strayParenthesis, "write ("),
      Fault("-()-", 3, .emptyGroup, "write -"),
      Fault("-(a-b)", 4, .timeInGroup("-"), "\"-\""),
      Fault("-(a(b))", 4, .timeInGroup("("), "\"(\""),
      Fault("-\"ab", 2, .openQuote, "write \""),
      Fault("-\"a\\\"", 2, .openQuote, "write \""),
      Fault("-\"a\\x\"", 4, .unknownEscape("\\x"), "\\u{"),
      Fault("-\"\\u{D800}\"", 3, .unknownEscape("\\u"), "\\u{"),
      Fault("-\"\\u{41\"", 3, .unknownEscape("\\u"), "\\u{"),
      Fault("-\"\\u{41", 3, .unknownEscape("\\u"), "\\u{"),
      Fault("-\"\\u", 3, .unknownEscape("\\u"), "\\u{"),
      Fault("-|-1", 4, .afterEnd("1"), "take it out"),
      Fault("-(#|)", 4, .afterEnd("|"), "take it out"),
      Fault("-|\"ab\"", 3, .afterEnd("a value"), "take it out"),
      Fault("-^-1", 2, .misplaced("^"), "\"^\""),
      Fault("-1-!", 4, .misplaced("!"), "\"!\""),
      Fault("-1-*", 4, .misplaced("*"), "\"*\""),
      Fault("^-^", 3, .misplaced("^"), "once", kind: .source),
      Fault("2-|", 3, .misplaced("|"), "take it out", kind: .demand),
      Fault("2-x", 3, .noDemand("x"), "a digit", kind: .demand),
      Fault("\"-2\"", 1, .noDemand("-2"), "a digit", kind: .demand),
      Fault("^-x", 3, .noSubscription("x"), "^ for", kind: .subscriptions),
    ])
  func refused(fault: Fault) {
    let error = #expect(throws: MarbleError.self) {
      try MarbleDiagram(fault.text, kind: fault.kind)
    }
    #expect(error == MarbleError(problem: fault.problem, line: 1, column: fault.column))
    #expect(error?.description.hasPrefix("line 1, column \(fault.column): ") == true)
    #expect(error?.description.contains(fault.remedy) == true)
  }

  @Test("An event is defined by its mark and its frame, not by its place in the text")
  func sameEvent() throws {
    let indented = try MarbleDiagram("  --1").events
    #expect(Set(indented + [MarbleEvent(frame: 2, mark: .value("1"))]).count == 1)
    #expect(Set(indented + [MarbleEvent(frame: 3, mark: .value("1"))]).count == 2)
  }

  @Test("The place of a fault counts the lines of a text")
  func lines() {
    let error = #expect(throws: MarbleError.self) { try MarbleDiagram("--1\n  --2)") }
    #expect(error == MarbleError(problem: .strayParenthesis, line: 2, column: 6))
  }

  @Test(
    "A fault that only the use of a diagram reveals is reported with its remedy, too",
    arguments: [
      (MarbleError.Problem.missingFailure, "pass one as failure:"),
      (.unknownValue("x"), "no value for x; add it to the legend"),
      (.notOneSubscription, "write one ^"),
      (.betweenFrames(time: .milliseconds(5), frame: .seconds(1)), "choose frames"),
      (.repeatedName("source"), "source is used already"),
      (.missingLine("result"), "no line result:"),
    ])
  func remedies(problem: MarbleError.Problem, remedy: String) {
    let text = MarbleError(problem: problem, line: 2, column: 3).description
    #expect(text.hasPrefix("line 2, column 3: "))
    #expect(text.contains(remedy), "\(text)")
  }

  struct Fault: Sendable, CustomTestStringConvertible {
    let text: String
    let column: Int
    let problem: MarbleError.Problem
    let remedy: String
    let kind: MarbleDiagram.Kind

    var testDescription: String { text }

    init(
      _ text: String, _ column: Int, _ problem: MarbleError.Problem, _ remedy: String,
      kind: MarbleDiagram.Kind = .signals
    ) {
      self.text = text
      self.column = column
      self.problem = problem
      self.remedy = remedy
      self.kind = kind
    }
  }
}
