import Streams
import StreamsTesting

/// What a chart says is to come of its call.
struct DiagramExpectation {
  /// The lines that are not of a source.
  private static let ownNames: Set = ["result", "demand", "subscribed"]

  let result: MarbleDiagram
  private let chart: MarbleChart
  private let sources: [MarbleSourceExpectation]

  /// - Parameter prepare: Makes the source of a name ready.
  init(
    _ chart: MarbleChart, prepare: (String) throws -> [MarbleSourceExpectation]
  ) throws {
    self.chart = chart
    result = try chart.diagram("result")
    sources = try chart.names.filter {
      !Self.ownNames.contains($0) && !$0.hasSuffix(" subscribed") && !$0.hasSuffix(" demand")
    }.flatMap(prepare)
  }

  func check<Source: Publisher>(_ publisher: Source, in marbles: Marbles) throws {
    let symbols = Dictionary(chart.legend.map { ($0.value, $0.key) }) { first, _ in first }
    try marbles.expect(
      publisher.map { value in symbols[shown(value)] ?? "\(value)" },
      toBe: chart.text(of: "result") ?? "", demand: chart.text(of: "demand"),
      until: chart.text(of: "subscribed"), subscriptions: sources)
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

extension Streams.Signal: DiagramShown {
  var shown: String {
    switch self {
    case .value(let value): ".value(\(value))"
    case .completion(.finished): ".completion(.finished)"
    case .completion(.failure): ".completion(.failure(error))"
    }
  }
}
