import Streams
import StreamsFixtures
import StreamsTesting

/// The result that a chart shows for its call.
struct DiagramExpectation {
  let result: MarbleDiagram
  private let chart: MarbleChart
  private let sources: [MarbleSourceExpectation]
  /// When the second subscriber subscribes, if there is one.
  private let late: Int?
  private let journal: DiagramJournal

  /// - Parameters:
  ///   - journal: Where the run is written down.
  ///   - prepare: Makes the source of a name ready.
  init(
    _ chart: MarbleChart, journal: DiagramJournal,
    prepare: (String) throws -> [MarbleSourceExpectation]
  ) throws {
    self.chart = chart
    self.journal = journal
    result = try chart.diagram("result")
    late =
      try chart.names.contains("late subscribed")
      ? chart.diagram("late subscribed", kind: .subscriptions).events.first?.frame : nil
    sources = try chart.sources.flatMap(prepare)
  }

  func check<Source: Publisher>(_ publisher: Source, in marbles: Marbles) throws {
    // A cancel that the diagram does not speak of is the end of the test.
    let isCancelled = chart.text(of: "subscribed")?.contains("!") == true
    let watched = journal.watching(publisher, as: "result", symbol: chart.symbol(of:))
      .handleEvents(receiveCancel: { [journal] in if !isCancelled { journal.close() } })
    if let late {
      // Before the test begins: in its frame the subscriber acts before the sources.
      let second = journal.watching(publisher, as: "late result", symbol: chart.symbol(of:))
      _ = marbles.scheduler.schedule(after: marbles.frame * late) {
        second.receive(subscriber: TestSubscriber<Source.Output, Source.Failure>())
      }
    }
    try marbles.expect(
      watched.map(chart.symbol(of:)),
      toBe: chart.text(of: "result") ?? "", demand: chart.text(of: "demand"),
      until: chart.text(of: "subscribed"), subscriptions: sources)
    if late != nil { try journal.check("late result", is: chart.diagram("late result")) }
  }
}

extension MarbleChart {
  /// The lines that are of a source.
  var sources: [String] {
    names.filter {
      !["result", "demand", "subscribed", "late result"].contains($0)
        && !$0.hasSuffix(" subscribed")
        && !$0.hasSuffix(" demand")
    }
  }

  /// The symbol of a value, or its description.
  func symbol(of value: Any) -> String {
    let text = shown(value)
    return legend.filter { $0.value == text }.keys.min() ?? value as? String ?? text
  }
}

/// A value as a legend writes it.
func shown(_ value: Any) -> String {
  (value as? any DiagramShown)?.shown ?? "\(value)"
}

/// A value whose description is not how it is written in Swift.
protocol DiagramShown {
  var shown: String { get }
}

extension String: DiagramShown {
  var shown: String { String(reflecting: self) }
}

extension Optional: DiagramShown {
  var shown: String { map { StreamsTests.shown($0) } ?? "nil" }
}

extension Signal: DiagramShown {
  var shown: String {
    switch self {
    case .value(let value): ".value(\(value))"
    case .completion(.finished): ".completion(.finished)"
    case .completion(.failure): ".completion(.failure(error))"
    }
  }
}
