import Streams
import StreamsFixtures
import StreamsTesting

/// A source of a diagram: plays the line of its name in the chart that is run.
final class DiagramSource<Output: Sendable, Failure: Error>: Publisher, DiagramPlayable {
  private let name: String
  private let values: @Sendable (String) -> Output?
  private let failure: Failure?
  private let source = Box<(MarblePublisher<Output, Failure>, DiagramJournal, MarbleChart)>()

  init(name: String, values: @escaping @Sendable (String) -> Output?, failure: Failure?) {
    self.name = name
    self.values = values
    self.failure = failure
  }

  func receive<Downstream: Subscriber>(subscriber: Downstream)
  where Downstream.Input == Output, Downstream.Failure == Failure {
    // Without a line in the chart nothing is prepared, and a subscriber waits for ever.
    guard let (source, journal, chart) = source.value else {
      return Empty(completeImmediately: false).receive(subscriber: subscriber)
    }
    journal.watching(source, as: name, symbol: chart.symbol(of:)).receive(subscriber: subscriber)
  }

  func prepare(
    _ chart: MarbleChart, _ marbles: Marbles, _ journal: DiagramJournal
  ) throws -> [MarbleSourceExpectation] {
    let diagram = try chart.diagram(name, kind: .source)
    for case .value(let symbol) in diagram.events.map(\.mark) {
      guard let legend = chart.legend[symbol], let value = values(symbol) else { continue }
      if shown(value) != legend {
        throw DiagramError(description: "\(symbol) is \(shown(value)) in the code, not \(legend)")
      }
    }
    let publisher = try marbles.publisher(diagram, values: values, failure: failure)
    source.set((publisher, journal, chart))
    return [
      chart.text(of: "\(name) subscribed").map(publisher.subscribed),
      chart.text(of: "\(name) demand").map(publisher.asked),
    ].compactMap { $0 }
  }
}

/// A source that can be made ready to play its line of a chart.
protocol DiagramPlayable: Sendable {
  /// - Returns: The events that the chart shows at the source.
  func prepare(
    _ chart: MarbleChart, _ marbles: Marbles, _ journal: DiagramJournal
  ) throws -> [MarbleSourceExpectation]
}
