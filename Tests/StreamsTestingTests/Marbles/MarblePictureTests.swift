import Foundation
import Testing

@testable import StreamsTesting

#if canImport(FoundationXML)
  import FoundationXML
#endif

@Suite("Marbles in pictures", .leakFree)
struct MarblePictureTests {
  private func picture(_ chart: String) throws -> MarblePicture {
    MarblePicture("a picture", panels: [try MarblePicture.Panel(MarbleChart(chart))])
  }

  /// The places of marks of a class, from left to right.
  private func places(_ name: String, in svg: String) throws -> [Double] {
    try svg.matches(of: Regex("class=\"\(name)\" d=\"M([0-9.]+) ", as: (Substring, Substring).self))
      .compactMap { Double($0.1) }
  }

  @Test("A long pause is drawn short, with its time, however long it is", .timeLimit(.minutes(10)))
  func longPause() throws {
    let short = try picture("source: a " + String(repeating: "-", count: 100) + "b\nresult: a")
    #expect(!short.svg.contains(">1s</text>"))
    let long = try picture("source: a 2s b 5940min c|\nresult: a").svg
    for time in ["2s", "356400s"] { #expect(long.contains(">\(time)</text>"), "\(time)") }
    let size = try #require(long.firstMatch(of: #/viewBox="0 0 ([0-9.]+) /#))
    #expect(size.1 == "400")
    let places = try places("end", in: long)
    #expect(places.count == 1)
    #expect(places.allSatisfy { $0 > 100 && $0 < 400 })
  }

  @Test("A line of many values is drawn in time", .timeLimit(.minutes(10)))
  func manyValues() throws {
    let svg = try picture("source: " + String(repeating: "ab", count: 1_500) + "|\nresult: a").svg
    #expect(svg.contains("class=\"end\""))
  }

  @Test("Texts in a picture cannot change the order of others")
  func bidi() throws {
    for scalar in ["\u{61C}", "\u{200E}", "\u{200F}", "\u{202E}", "\u{2066}", "\u{2069}"] {
      let svg = MarblePicture(
        "a\(scalar)b",
        panels: [
          MarblePicture.Panel(
            call: "c(\(scalar))",
            sources: [MarblePicture.Line("n\(scalar)", try MarbleDiagram("a"))], results: [],
            legend: ["a": "x\(scalar)"])
        ]
      ).svg
      #expect(!svg.contains(scalar))
      let code = scalar.unicodeScalars.map { String($0.value, radix: 16) }.joined()
      #expect(svg.contains(">a\\u{\(code)}b</text>"))
    }
    #expect(MarbleText.markup("\u{1F468}\u{200D}\u{1F469}") == "\u{1F468}\u{200D}\u{1F469}")
  }

  @Test("Code that is indented by more than a line comes to an end", .timeLimit(.minutes(10)))
  func deepIndentation() {
    let lines = MarbleText.wrapped(String(repeating: " ", count: 90) + "call(a, b)", width: 46)
    #expect(lines.last?.hasSuffix("call(a, b)") == true)
    #expect(lines.allSatisfy { $0.count <= 46 })
    #expect(MarbleText.wrapped(String(repeating: "x", count: 100), width: 46).count == 3)
  }

  @Test("A picture has sources above the call, result and demand below, and the chart as its text")
  func chart() throws {
    let text = """
      source: --1--2--|
      other:  ---4----5--|
      zip(other)
      demand: *
      result: ---x----(y|)
      x = (1, 4)
      y = (2, 5)
      """
    let picture = try picture(text)
    #expect(picture.panels.first?.sources.map(\.name) == ["source", "other"])
    #expect(picture.panels.first?.results.map(\.name) == ["demand", "result"])
    #expect(
      "\(picture)" == """
        source: --1--2--|
        other:  ---4----5   --|
        zip(other)
        demand: *
        result: ---x----(y|)
        x = (1, 4)
        y = (2, 5)
        """)
    #expect(picture.svg.contains("<desc>\(picture)</desc>"))
    #expect(picture.svg.contains("n values asked for"))
    #expect(throws: MarbleError.self) { try self.picture("result: --(") }
  }

  @Test("The picture is well-formed, whatever text it shows")
  func wellFormed() throws {
    let hostile = "</desc><script>\"&'\u{1B}\u{FFFE}"
    let line = MarblePicture.Line(
      hostile,
      MarbleDiagram(events: [
        MarbleEvent(frame: 0, mark: .value(hostile)), MarbleEvent(frame: 3, mark: .failure),
      ]))
    let panel = MarblePicture.Panel(
      call: hostile, sources: [line], results: [], legend: [hostile: hostile])
    for picture in [MarblePicture(hostile, panels: [panel, panel]), MarblePicture("", panels: [])] {
      #expect(XMLParser(data: Data(picture.svg.utf8)).parse())
      #expect(!picture.svg.contains("<script"))
    }
  }

  @Test("The line of a second subscriber is below the call, too")
  func lateResult() throws {
    let panel = try picture("source: -1-2\nshare()\nresult: -1-2\nlate result: ---2").panels.first
    #expect(panel?.sources.map(\.name) == ["source"])
    #expect(panel?.results.map(\.name) == ["result", "late result"])
    #expect(panel?.results.map(\.diagram.kind) == [.signals, .signals])
  }

  @Test("Each color of the style sheet is also a plain color of the picture")
  func plain() throws {
    let svg = try picture("a: -1-#\nconcat\nsource demand: 1\nresult: -1-|").svg
    let plain = svg.firstRange(of: "</style>").map { svg[$0.upperBound...] } ?? ""
    let style = svg.firstRange(of: "@media").map { svg[..<$0.lowerBound] } ?? ""
    let colors = Set(style.matches(of: /--\w+: (#[0-9a-f]{6});/).map { String($0.1) })
    #expect(colors.count == 8)
    #expect(colors.filter { !svg.contains("\($0)\"") } == [])
    #expect(!plain.contains("var("))
  }

  @Test("A panel may consist of a call alone")
  func callOnly() {
    let panel = MarblePicture.Panel(call: "never()", sources: [], results: [])
    let picture = MarblePicture("a picture", panels: [panel])
    #expect("\(picture)" == "never()")
    #expect(XMLParser(data: Data(picture.svg.utf8)).parse())
    #expect(picture.svg.contains(">never()<"))
  }

  @Test("A line without an end continues to the edge, with an arrow")
  func endless() throws {
    func arrows(_ chart: String) throws -> Int {
      try picture(chart).svg.ranges(of: "m-6-4 6 4-6 4").count
    }
    #expect(try arrows("result: --1--") == arrows("result: --1--|") + 1)
  }

  @Test("A line lasts from its subscription to its cancel, and missed events look different")
  func life() throws {
    let line = MarblePicture.Line(
      "a",
      MarbleDiagram(events: [
        MarbleEvent(frame: 2, mark: .subscription), MarbleEvent(frame: 4, mark: .value("1")),
        MarbleEvent(frame: 6, mark: .cancel), MarbleEvent(frame: 8, mark: .value("2")),
        MarbleEvent(frame: 9, mark: .finished),
      ]))
    #expect(line.shapes.map(\.isMissed) == [false, false, false, true, true])
    let svg = MarblePicture("", panels: [.init(call: "", sources: [line], results: [])]).svg
    #expect(svg.ranges(of: "<g class=\"missed\" ").count == 2)
    let begin = try #require(try places("begin", in: svg).first)
    let cancel = try #require(try places("cancel", in: svg).first)
    #expect(svg.contains("<path d=\"M\(MarbleText.number(begin)) "))
    #expect(svg.contains("H\(MarbleText.number(cancel))\" fill=\"none\""))
    #expect(svg.contains("subscribed</text>") && svg.contains("cancelled</text>"))
  }

  @Test(
    "Shapes do not overlap, and long ones make room for themselves",
    arguments: [
      "a-b-c|", "(abc|)", "ab(cd)e#", "\"a long one\"\"and another\"|", "-(\"1\"\"22\"\"333\"|)",
      "\"\(String(repeating: "long ", count: 30))\"--\"end\"|", "----------------------------a|",
    ])
  func room(text: String) throws {
    let shapes = MarblePicture.Line("a", try MarbleDiagram(text)).shapes
    let columns = MarbleColumns([shapes], from: 50, to: 380)
    var end = 50.0
    for shape in shapes {
      #expect(columns.place(of: shape) - shape.width / 2 >= end)
      end = columns.place(of: shape) + shape.width / 2
    }
    #expect(columns.end == end)
    let picture = try picture("result: \(text)")
    let width = try #require(picture.svg.firstMatch(of: #/viewBox="0 0 ([0-9.]+) /#)?.1)
    #expect(try #require(Double(width)) >= max(400, end))
  }

  @Test("Equal frames are aligned")
  func columns() throws {
    let lines = try ["-a-\"long one\"-b|", "-a-c-b|"].map {
      MarblePicture.Line("a", try MarbleDiagram($0)).shapes
    }
    let columns = MarbleColumns(lines, from: 50, to: 380)
    #expect(lines[0].map(columns.place) == lines[1].map(columns.place))
  }

  @Test("The time of a long pause stands in the middle between its neighbors")
  func pauses() throws {
    let shapes = MarblePicture.Line("a", try MarbleDiagram("a 10s b 10s c")).shapes
    let columns = MarbleColumns([shapes], from: 50, to: 380)
    let places = shapes.map(columns.place)
    #expect(columns.pauses.count == 2)
    for (index, pause) in columns.pauses.enumerated() {
      #expect(abs(pause.middle - (places[index] + places[index + 1]) / 2) < 0.01)
    }
  }

  @Test("Long code continues in the next line, broken outside of brackets")
  func wrapping() {
    func wrapped(_ code: String, _ width: Int = 24) -> [String] {
      MarbleText.wrapped(code, width: width)
    }
    #expect(wrapped("short(1)") == ["short(1)"])
    #expect(
      wrapped("retry(f(1, 2), times: 3, on: main)") == ["retry(f(1, 2), times: 3,", "  on: main)"])
    #expect(
      wrapped("Future<Int, Never> { promise in f() }") == [
        "Future<Int, Never> {", "  promise in f() }",
      ])
    #expect(wrapped("filter { $0 < 5 && $1 < 5 }") == ["filter {", "  $0 < 5 && $1 < 5 }"])
    #expect(wrapped("  indented(one: 1, two: 2)") == ["  indented(one: 1,", "    two: 2)"])
    // A bracket that is closed counts as none, and a comparison is no bracket.
    #expect(wrapped("first, f(1)(second, third)") == ["first,", "  f(1)(second, third)"])
    #expect(wrapped("first, f[1][second, third]") == ["first,", "  f[1][second, third]"])
    #expect(wrapped("first, A<B>(second, third)") == ["first,", "  A<B>(second, third)"])
    #expect(wrapped("first, {1}(second, third)") == ["first,", "  {1}(second, third)"])
    #expect(wrapped("a < b, f(c > d, e, fghi, j)") == ["a < b,", "  f(c > d, e, fghi, j)"])
    #expect(wrapped("one two three four five six") == ["one two three four five", "  six"])
    #expect(wrapped("averyveryverylongwordindeed") == ["averyveryverylongwordind", "  eed"])
  }

  @Test("Numbers have at most one decimal")
  func numbers() {
    #expect(
      [0, 1, 1.25, 99.96, -0.5, -2].map(MarbleText.number) == [
        "0", "1", "1.3", "100", "-0.5", "-2",
      ])
  }
}
