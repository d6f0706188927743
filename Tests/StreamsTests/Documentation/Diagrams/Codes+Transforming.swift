import Foundation
import Streams

extension DiagramCodes {
  func addTransforming() throws {
    let source = numbers()
    let log = DiagramLog()
    try code("Operators/Map") { source.map { $0 * 2 } }
    try code("Operators/TryMap") {
      source.tryMap {
        if $0 == 3 { throw Refused() }
        return $0 * 2
      }
    }
    try code("Operators/CompactMap") { source.compactMap { $0 == 2 ? nil : $0 + 1 } }
    try code("Operators/TryCompactMap") {
      source.tryCompactMap {
        if $0 == 4 { throw Refused() }
        return $0 == 2 ? nil : $0 + 1
      }
    }
    try code("Operators/Scan") { source.scan(0, +) }
    try code("Operators/TryScan") {
      source.tryScan(0) {
        if $1 == 3 { throw Refused() }
        return $0 + $1
      }
    }
    try code("Operators/Encode") { source.encode(encoder: JSONEncoder()) }
    try code("Operators/Materialize") { source.materialize() }
    try code("Operators/HandleEvents") { source.handleEvents(receiveOutput: { log($0) }) }
    try code("Operators/Print") { source.print("numbers", to: log) }
    try code("Operators/Breakpoint") { source.breakpoint(receiveOutput: { $0 > 2 }) }
    try code("Operators/Breakpoint") { source.breakpointOnError() }
    try addOptionals()
    try addData()
    try addSignals()
    try addWords()
    try addPairs()
    try addTriples()
  }

  private func addOptionals() throws {
    let source: DiagramSource<Int?, TestError> = source(legend: ["1": 1, "n": nil, "3": 3])
    try code("Operators/ReplaceNil") { source.replaceNil(with: 0) }
  }

  private func addData() throws {
    let source = source(legend: ["a": Data("1".utf8), "b": Data("?".utf8)])
    try code("Operators/Decode") { source.decode(type: Int.self, decoder: JSONDecoder()) }
  }

  private func addSignals() throws {
    let legend: [String: Streams.Signal<Int, TestError>] = [
      "a": .value(1), "b": .value(2), "c": .completion(.failure(.first)),
    ]
    let source: DiagramSource<Streams.Signal<Int, TestError>, Never> = source("source", failure: nil) {
      legend[$0]
    }
    try code("Operators/Dematerialize") { source.dematerialize() }
  }

  private func addWords() throws {
    let source = source(legend: ["a": "x", "b": "xyz"])
    try code("Operators/MapKeyPath") { source.map(\.count) }
  }

  private func addPairs() throws {
    let source = source(legend: ["a": Pair(first: 1, second: 2), "b": Pair(first: 3, second: 4)])
    try code("Operators/MapKeyPath2") { source.map(\.first, \.second) }
  }

  private func addTriples() throws {
    let source = source(legend: [
      "a": Triple(first: 1, second: 2, third: 3), "b": Triple(first: 4, second: 5, third: 6),
    ])
    try code("Operators/MapKeyPath3") { source.map(\.first, \.second, \.third) }
  }
}
