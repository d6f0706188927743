import Foundation
import Streams
import StreamsFixtures
import StreamsTesting

/// The calls of the diagrams as code, to run with the inputs of one diagram.
///
/// The text of each call is read from the file in which it is written, so that it can be compared
/// with the diagram's.
final class DiagramCodes {
  struct Code {
    /// The operator or publisher.
    let name: String
    let text: String
    fileprivate let sources: [String: any DiagramPlayable]
    fileprivate let run: @Sendable (Marbles, DiagramExpectation) throws -> Void
  }

  private(set) var codes: [Code] = []
  private(set) var texts = DiagramTexts()
  private var sources: [String: any DiagramPlayable] = [:]
  let scheduler = TestScheduler()

  init() throws {
    try addAsynchronous()
    try addCombining()
    try addDemand()
    try addErrors()
    try addFolds()
    try addMerging()
    try addNesting()
    try addSelecting()
    try addSharing()
    try addSources()
    try addTime()
    try addTransforming()
  }

  /// Adds the code of a diagram.
  ///
  /// - Parameters:
  ///   - name: The name of the symbol that the diagram shows: `map`.
  ///   - isTask: Whether values come from tasks, for which virtual time has to wait.
  func code<Result: Publisher>(
    _ name: String, isTask: Bool = false, file: String = #filePath, line: Int = #line,
    _ make: @escaping @Sendable () -> Result
  ) throws {
    let text = try texts.block(in: file, line: line)
    let entry = Code(name: name, text: text, sources: sources) { marbles, expectation in
      guard isTask else { return try expectation.check(make(), in: marbles) }
      let settled = Settled(
        upstream: make(), marbles: marbles,
        frames: expectation.result.events.map(\.frame))
      try expectation.check(settled, in: marbles)
    }
    codes.append(entry)
  }

  func numbers(_ name: String = "source") -> DiagramSource<Int, TestError> {
    source(name, failure: .first) { Int($0) }
  }

  func letters(_ name: String = "source") -> DiagramSource<String, TestError> {
    source(name, failure: .first) { $0 }
  }

  func safeNumbers(_ name: String = "source") -> DiagramSource<Int, Never> {
    source(name, failure: nil) { Int($0) }
  }

  func safeLetters(_ name: String = "source") -> DiagramSource<String, Never> {
    source(name, failure: nil) { $0 }
  }

  func source<Value>(
    _ name: String = "source", legend: [String: Value]
  ) -> DiagramSource<Value, TestError> {
    source(name, failure: .first) { legend[$0] }
  }

  func source<Value, Failure: Error>(
    _ name: String, failure: Failure?, values: @escaping @Sendable (String) -> Value?
  ) -> DiagramSource<Value, Failure> {
    let source = DiagramSource(name: name, values: values, failure: failure)
    sources[name] = source
    return source
  }

  /// Runs the code at an index with the diagrams of a chart.
  ///
  /// - Returns: The events of the run.
  @discardableResult
  func run(_ index: Int, with chart: MarbleChart) throws -> MarblePicture.Panel {
    let code = codes[index]
    let marbles = Marbles(scheduler)
    let journal = DiagramJournal(marbles)
    let expectation = try DiagramExpectation(chart, journal: journal) { name in
      guard let source = code.sources[name] else {
        throw DiagramError(description: "the code knows no \(name)")
      }
      return try source.prepare(chart, marbles, journal)
    }
    try code.run(marbles, expectation)
    return try journal.panel(of: chart)
  }

  /// Whether a call's text is that of a code, which names the source that a diagram takes for
  /// granted.
  static func isSame(_ call: String, _ code: String) -> Bool {
    let (call, code) = (squeezed(call), squeezed(code))
    return call == code || "source." + call == code
  }

  // The formatter breaks lines at semicolons.
  private static func squeezed(_ text: String) -> String {
    text.filter { !$0.isWhitespace && $0 != ";" }
  }
}

/// Why a diagram cannot be run.
struct DiagramError: Error, CustomStringConvertible {
  let description: String
}
