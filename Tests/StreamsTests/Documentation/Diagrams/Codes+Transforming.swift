import Foundation
import Streams
import StreamsFixtures

extension DiagramCodes {
  func addTransforming() throws {
    let source = numbers()
    let log = DiagramLog()
    try code("map") { source.map { $0 * 2 } }
    try code("tryMap") {
      source.tryMap {
        if $0 == 3 { throw Refused() }
        return $0 * 2
      }
    }
    try code("compactMap") { source.compactMap { $0 == 2 ? nil : $0 + 1 } }
    try code("tryCompactMap") {
      source.tryCompactMap {
        if $0 == 4 { throw Refused() }
        return $0 == 2 ? nil : $0 + 1
      }
    }
    try code("scan") { source.scan(0, +) }
    try code("enumerated") { source.enumerated() }
    try code("tryScan") {
      source.tryScan(0) {
        if $1 == 3 { throw Refused() }
        return $0 + $1
      }
    }
    try code("encode") { source.encode(encoder: JSONEncoder()) }
    try code("materialize") { source.materialize() }
    try code("context") { source.context(DepthKey.self, 1) }
    try code("handleEvents") { source.handleEvents(receiveOutput: { log($0) }) }
    try code("print") { source.print("numbers", to: log) }
    try code("breakpoint") { source.breakpoint(receiveOutput: { $0 > 2 }) }
    try code("breakpointOnError") { source.breakpointOnError() }
    try addOptionals()
    try addData()
    try addSignals()
    try addWords()
    try addPairs()
    try addTriples()
  }

  private func addOptionals() throws {
    let source: DiagramSource<Int?, TestError> = source(legend: ["1": 1, "n": nil, "3": 3])
    try code("replaceNil") { source.replaceNil(with: 0) }
  }

  private func addData() throws {
    let source = source(legend: ["a": Data("1".utf8), "b": Data("?".utf8)])
    try code("decode") { source.decode(type: Int.self, decoder: JSONDecoder()) }
  }

  private func addSignals() throws {
    let legend: [String: Signal<Int, TestError>] = [
      "a": .value(1), "b": .value(2), "c": .completion(.failure(.first)),
    ]
    let source: DiagramSource<Signal<Int, TestError>, Never> = source(
      "source", failure: nil
    ) {
      legend[$0]
    }
    try code("dematerialize") { source.dematerialize() }
  }

  private func addWords() throws {
    let source = source(legend: ["a": "x", "b": "xyz"])
    try code("map") { source.map(\.count) }
  }

  private func addPairs() throws {
    let source = source(legend: ["a": Pair(first: 1, second: 2), "b": Pair(first: 3, second: 4)])
    try code("map") { source.map(\.first, \.second) }
  }

  private func addTriples() throws {
    let source = source(legend: [
      "a": Triple(first: 1, second: 2, third: 3), "b": Triple(first: 4, second: 5, third: 6),
    ])
    try code("map") { source.map(\.first, \.second, \.third) }
  }
}
