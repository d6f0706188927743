import StreamsTesting
import Testing

@Suite("Reading a marble chart", .leakFree)
struct MarbleChartTests {
  @Test("A chart has named diagrams, a call and a legend")
  func parts() throws {
    let chart = try MarbleChart(
      """
      source: --1--2--|
      other:    ---4|
      zip(other) {
        ($0, $1)
      }
      result: -----x|
      source subscribed: ^----!
      x = (1, 4)
      """)
    #expect(chart.names == ["source", "other", "result", "source subscribed"])
    #expect(chart.call == "zip(other) {\n  ($0, $1)\n}")
    #expect(chart.legend == ["x": "(1, 4)"])
    #expect(chart.text(of: "other") == "   ---4|")
    #expect(chart.text(of: "third") == nil)
    #expect(try chart.diagram("other").description == "---4|")
    #expect(
      try chart.diagram("source subscribed", kind: .subscriptions).description == "^----!")
  }

  @Test("A colon in a call starts no diagram, and an equality in it starts no legend")
  func calls() throws {
    let chart = try MarbleChart("debounce(for: .zero)\nfirst { $0 == 1 }\nresult:\n")
    #expect(chart.call == "debounce(for: .zero)\nfirst { $0 == 1 }")
    #expect(chart.names == ["result"])
    #expect(try chart.diagram("result").events.isEmpty)
  }

  @Test("A fault is reported with its place in the chart")
  func places() throws {
    let chart = try MarbleChart("source: --1--|\nmap { $0 }\nresult:   --1)-|")
    let error = #expect(throws: MarbleError.self) { try chart.diagram("result") }
    #expect(error == MarbleError(problem: .strayParenthesis, line: 3, column: 14))
  }

  @Test("A missing diagram and a repeated name are refused")
  func names() throws {
    let chart = try MarbleChart("source: -|")
    let missing = #expect(throws: MarbleError.self) { try chart.diagram("result") }
    #expect(missing?.problem == .missingLine("result"))
    #expect(missing?.description.contains("result:") == true)
    let line = #expect(throws: MarbleError.self) { try MarbleChart("source: -|\n\nsource: |") }
    #expect(line == MarbleError(problem: .repeatedName("source"), line: 3, column: 1))
    let symbol = #expect(throws: MarbleError.self) { try MarbleChart("x = 1\nx = 2") }
    #expect(symbol == MarbleError(problem: .repeatedName("x"), line: 2, column: 1))
  }
}
