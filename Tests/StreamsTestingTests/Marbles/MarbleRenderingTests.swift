import StreamsTesting
import Testing

@Suite("Writing a marble diagram", .leakFree)
struct MarbleRenderingTests {
  @Test("A diagram that was read is written unchanged, without spaces")
  func plain() throws {
    for text in ["--1--(ab|)--", "-\"12\"-#", "", "---", "(\"a b\"c)", "\"|\"\"\"", "-é-😀|"] {
      #expect(try MarbleDiagram(text).description == text)
    }
    #expect(try MarbleDiagram(" -- 1 |").description == "--1|")
    #expect(try MarbleDiagram("2-(1*)\"10\"", kind: .demand).description == "2-(1*)\"10\"")
    #expect(try MarbleDiagram("-^--(!^)", kind: .subscriptions).description == "-^--(!^)")
  }

  @Test("Invisible characters are escaped")
  func escapes() {
    let values = ["\u{301}", "\u{200D}", "\"\\\n", "🇫🇷", " "]
    let diagram = MarbleDiagram(
      events: values.map { MarbleEvent(frame: 0, mark: .value($0)) })
    #expect(
      diagram.description
        == #"("\u{301}""\u{200d}""\"\\\n""\u{1f1eb}\u{1f1f7}"" ")"#)
  }

  @Test("Every written diagram reads as the same diagram", arguments: 0..<200)
  func roundTrip(seed: Int) throws {
    var generator = Seeded(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
    for kind in MarbleDiagram.Kind.allCases {
      let diagram = Self.diagram(kind, using: &generator)
      let read = try MarbleDiagram(diagram.description, kind: kind)
      #expect(read == diagram, "\(diagram)")
      #expect(read.description == diagram.description)
    }
  }

  @Test("Two diagrams are written with aligned frames", arguments: 0..<50)
  func alignment(seed: Int) throws {
    var generator = Seeded(state: UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1)
    let first = Self.diagram(.signals, using: &generator)
    let second = Self.diagram(.signals, using: &generator)
    let lines = MarbleDiagram.aligned(first, second)
    #expect(try MarbleDiagram(lines.0) == first)
    #expect(try MarbleDiagram(lines.1) == second)
  }

  @Test("Aligned lines are filled with spaces up to the wider one")
  func aligned() throws {
    let lines = try MarbleDiagram.aligned(
      MarbleDiagram("-(ab)-1-|"), MarbleDiagram("-a-\"12\"-|"))
    #expect(lines.0 == "-(ab)-1   -|")
    #expect(lines.1 == "-a   -\"12\"-|")
  }

  private static func diagram(
    _ kind: MarbleDiagram.Kind, using generator: inout Seeded
  ) -> MarbleDiagram {
    var events: [MarbleEvent] = []
    var frame = 0
    for _ in 0..<Int.random(in: 0..<12, using: &generator) {
      frame += Int.random(in: 0..<4, using: &generator)
      events.append(MarbleEvent(frame: frame, mark: mark(kind, using: &generator)))
    }
    if kind == .source && Bool.random(using: &generator) {
      events.append(MarbleEvent(frame: frame, mark: .subscription))
    }
    if kind == .signals && Bool.random(using: &generator) {
      let mark: MarbleEvent.Mark = Bool.random(using: &generator) ? .finished : .failure
      events.append(MarbleEvent(frame: frame, mark: mark))
    }
    let idle = Int.random(in: 0..<3, using: &generator)
    return MarbleDiagram(kind: kind, events: events, frameCount: frame + idle)
  }

  private static func mark(
    _ kind: MarbleDiagram.Kind, using generator: inout Seeded
  ) -> MarbleEvent.Mark {
    let isEven = Bool.random(using: &generator)
    switch kind {
    case .signals, .source:
      let signs: [Character] = Array("ab19-()|#^!*\"\\ \n\té😀あ") + ["\u{301}", "👩‍👧", "🇫🇷", "\u{7F}"]
      let count = Int.random(in: 0..<4, using: &generator)
      let text = (0..<count).compactMap { _ in signs.randomElement(using: &generator) }
      return .value(String(text))
    case .demand:
      return isEven ? .unlimited : .value("\(Int.random(in: 0..<30, using: &generator))")
    case .subscriptions:
      return isEven ? .subscription : .cancel
    }
  }
}

/// A generator that gives the same numbers for the same seed.
private struct Seeded: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state &* 0x2545_F491_4F6C_DD1D
  }
}
