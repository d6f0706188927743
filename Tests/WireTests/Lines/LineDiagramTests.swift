import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("The diagrams of lines, JSON lines and events match the operators", .leakFree)
struct LineDiagramTests {
  private struct Failed: Error {}

  /// The operators behind the calls of diagrams.
  private static let calls:
    [String: @Sendable (AnyPublisher<Data, any Error>) -> AnyPublisher<String, any Error>] = [
      "lines()": { $0.lines().map { "\"\($0)\"" }.eraseToAnyPublisher() },
      "decodeLines(of: Int.self)": {
        $0.decodeLines(of: Int.self).map { "\($0)" }.eraseToAnyPublisher()
      },
      "serverSentEvents()": {
        $0.serverSentEvents().map { event in
          let id = event.id.isEmpty ? "" : ", id: \"\(event.id)\""
          return "ServerSentEvent(data: \"\(event.data)\"\(id))"
        }.eraseToAnyPublisher()
      },
    ]

  @Test(
    "Each diagram matches its operator", arguments: ["Lines", "DecodeLines", "ServerSentEvents"])
  func diagrams(file: String) throws {
    let texts = try Self.diagrams(in: file)
    #expect(!texts.isEmpty)
    for text in texts {
      let chart = try MarbleChart(text)
      let marbles = Marbles()
      let body = try marbles.publisher(
        chart.diagram("source"), values: { Self.chunk(chart.legend[$0] ?? "") }, failure: Failed())
      let call = try #require(Self.calls[chart.call], "\(chart.call)")
      let drawn = try chart.diagram("result").description
      try marbles.expect(
        call(body.mapError { $0 as any Error }.eraseToAnyPublisher()), toBe: drawn,
        values: { chart.legend[$0] ?? $0 })
    }
  }

  /// The bytes of a literal.
  private static func chunk(_ literal: String) -> Data {
    Data(
      literal.dropFirst().dropLast().replacing("\\n", with: "\n").replacing("\\r", with: "\r").utf8)
  }

  /// The blocks of the language `marble` in a file's doc comments.
  private static func diagrams(in file: String) throws -> [String] {
    let path = PackageFolder.url.appending(path: "Sources/RESTKit/Lines/\(file).swift")
    let text = try String(contentsOf: path, encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.drop { $0 == " " }.dropFirst(4) }.joined(separator: "\n")
    return text.matches(of: /```marble\n((?:.|\n)*?)\n```/).map { String($0.1) }
  }
}
