import Streams

extension Marbles {
  /// Runs a publisher and expects a diagram, comparing values by their descriptions.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to subscribe to, in the frame in which the test begins.
  ///   - diagram: The expected signals, frame by frame, and no others.
  ///   - failure: The failure that `#` means. Without it, `#` means any failure.
  ///   - demand: The requests of the subscriber: digits, quoted numbers, or `*` for no limit.
  ///     Without it, the subscriber requests everything at once.
  ///   - stay: The frames in which the subscriber subscribes (`^`) and cancels (`!`). Without it,
  ///     the subscriber subscribes at once and stays.
  ///   - sources: The expected actions on sources: `source.subscribed("^--!")`,
  ///     `source.asked("2--1")`.
  /// - Returns: True, for use in an expectation of any test framework.
  /// - Throws: A ``MarbleMismatch`` with both diagrams, or a ``MarbleError`` for an invalid text.
  @discardableResult
  public func expect<Source: Publisher>(
    _ publisher: Source, toBe diagram: String, failure: Source.Failure? = nil,
    demand: String? = nil, until stay: String? = nil,
    subscriptions sources: [MarbleSourceExpectation] = []
  ) throws -> Bool {
    let test = try MarbleTest(
      diagram, demand: demand, stay: stay, sources: sources, frame: frame)
    return try expect(publisher, test, failure: failure) { symbol, value in
      MarbleComparison(symbol, "\(value)")
    }
  }

  /// Runs a publisher and expects a diagram, with the values of a legend.
  ///
  /// Values are compared with `==` if they are `Equatable`, and part by part otherwise. NaN equals
  /// NaN, also inside of other values, but not inside of two objects, about which their `==` alone
  /// decides. An object that is not `Equatable` equals only itself, and the mismatch names its
  /// type.
  @discardableResult
  public func expect<Source: Publisher>(
    _ publisher: Source, toBe diagram: String, values: [String: Source.Output],
    failure: Source.Failure? = nil, demand: String? = nil, until stay: String? = nil,
    subscriptions sources: [MarbleSourceExpectation] = []
  ) throws -> Bool {
    try expect(
      publisher, toBe: diagram, values: { values[$0] }, failure: failure, demand: demand,
      until: stay, subscriptions: sources)
  }

  /// Runs a publisher and expects a diagram, with the values that a closure returns for symbols.
  ///
  /// Values are compared with `==` if they are `Equatable`, and part by part otherwise. NaN equals
  /// NaN, also inside of other values, but not inside of two objects, about which their `==` alone
  /// decides. An object that is not `Equatable` equals only itself, and the mismatch names its
  /// type.
  @discardableResult
  public func expect<Source: Publisher>(
    _ publisher: Source, toBe diagram: String, values: (String) -> Source.Output?,
    failure: Source.Failure? = nil, demand: String? = nil, until stay: String? = nil,
    subscriptions sources: [MarbleSourceExpectation] = []
  ) throws -> Bool {
    let test = try MarbleTest(
      diagram, demand: demand, stay: stay, sources: sources, frame: frame)
    var legend: [String: Source.Output] = [:]
    for event in test.expected.events {
      guard case .value(let symbol) = event.mark else { continue }
      guard let value = values(symbol) else { throw event.error(.unknownValue(symbol)) }
      legend[symbol] = value
    }
    let notes = legend.filter { $0.key != "\($0.value)" }.map { "\($0.key) = \($0.value)" }
    return try expect(publisher, test, failure: failure, notes: notes.sorted()) { symbol, value in
      legend[symbol].map { MarbleComparison($0, value) }
    }
  }

  /// Runs a publisher and draws its signals, with values as their descriptions.
  ///
  /// - Parameters:
  ///   - publisher: The publisher to run.
  ///   - demand: The requests of the subscriber. Without it, the subscriber requests everything at
  ///     once.
  ///   - stay: The frames in which the subscriber subscribes and cancels.
  public func diagram<Source: Publisher>(
    of publisher: Source, demand: String? = nil, until stay: String? = nil
  ) throws(MarbleError) -> MarbleDiagram {
    let test = try MarbleTest("", demand: demand, stay: stay, sources: [], frame: frame)
    let run = try run(
      publisher, demand: test.demand, subscriber: test.stay, enough: .max, length: test.length)
    defer { run.recorder.close() }
    return try diagram(of: run.recorder.signals, since: run.begin)
  }

  private func expect<Source: Publisher>(
    _ publisher: Source, _ test: MarbleTest, failure: Source.Failure?, notes: [String] = [],
    comparing: (String, Source.Output) -> MarbleComparison?
  ) throws -> Bool {
    let expected = test.expected
    let run = try run(
      publisher, demand: test.demand, subscriber: test.stay, enough: expected.events.count,
      length: test.length)
    defer { run.recorder.close() }

    var undecided: Set<String> = []
    func matches(_ symbol: String, _ value: Source.Output) -> Bool {
      guard let comparison = comparing(symbol, value) else { return false }
      if let type = comparison.undecided { undecided.insert(type) }
      return comparison.isSame
    }
    let symbols = expected.events.map(\.mark.symbol)
    var seen: Set<String> = []
    let distinct = symbols.compactMap { $0 }.filter { seen.insert($0).inserted }
    let marks = run.marks { index, value in
      if index < symbols.count, let symbol = symbols[index], matches(symbol, value) {
        return symbol
      }
      if let symbol = distinct.first(where: { matches($0, value) }) { return symbol }
      return distinct.contains("\(value)") ? "another \(value)" : "\(value)"
    }
    let actual = try diagram(.signals, of: marks, since: run.begin)
    let ends = failure.flatMap { wanted in run.failure.map { MarbleComparison(wanted, $0) } }
    if let type = ends?.undecided { undecided.insert(type) }
    let isFailureWrong = ends?.isSame == false
    if !actual.agrees(with: expected) || isFailureWrong {
      var notes = notes
      if let error = run.failure { notes.append("# is \(error)") }
      if let failure, isFailureWrong { notes.append("# expected: \(failure)") }
      for type in undecided.sorted() {
        notes.append(
          "\(type) is not Equatable, so a value of it may only equal itself; make it Equatable")
      }
      throw MarbleMismatch(
        subject: "The stream", expected: expected, actual: actual, notes: notes, cut: run.cut)
    }
    for (source, expected) in test.sources {
      let actual = try diagram(
        expected.kind, of: source.journal.marks(expected.kind), since: run.begin)
      if !actual.agrees(with: expected) {
        throw MarbleMismatch(
          subject: expected.kind == .demand ? "A source's demand" : "A source's subscription",
          expected: expected, actual: actual, notes: [], cut: run.cut)
      }
    }
    return true
  }
}

/// The parsed diagrams of one test.
private struct MarbleTest {
  let expected: MarbleDiagram
  let demand: MarbleDiagram?
  let stay: MarbleDiagram?
  let sources: [(MarbleSourceExpectation, MarbleDiagram)]

  init(
    _ diagram: String, demand: String?, stay: String?, sources: [MarbleSourceExpectation],
    frame: Duration
  ) throws(MarbleError) {
    expected = try MarbleDiagram(diagram, frame: frame)
    self.demand =
      if let demand { try MarbleDiagram(demand, kind: .demand, frame: frame) } else { nil }
    self.stay =
      if let stay { try MarbleDiagram(stay, kind: .subscriptions, frame: frame) } else { nil }
    var read: [(MarbleSourceExpectation, MarbleDiagram)] = []
    for source in sources {
      read.append((source, try MarbleDiagram(source.text, kind: source.kind, frame: frame)))
    }
    self.sources = read
  }

  /// The number of frames of its longest line.
  var length: Int {
    let lines = [expected, demand, stay].compactMap { $0 } + sources.map(\.1)
    return lines.map(\.frameCount).max() ?? 0
  }
}

extension MarbleRun {
  fileprivate var failure: Failure? {
    for (_, signal) in recorder.signals {
      if case .completion(.failure(let error)) = signal { return error }
    }
    return nil
  }

  /// Returns the received signals, with a symbol for each value.
  fileprivate func marks(
    _ symbol: (Int, Output) -> String
  ) -> [(time: Duration, mark: MarbleEvent.Mark)] {
    recorder.signals.enumerated().map { index, entry in
      switch entry.signal {
      case .value(let value): (entry.time, .value(symbol(index, value)))
      case .completion(.finished): (entry.time, .finished)
      case .completion(.failure): (entry.time, .failure)
      }
    }
  }
}

extension MarbleEvent.Mark {
  fileprivate var symbol: String? {
    if case .value(let symbol) = self { symbol } else { nil }
  }
}

/// The error for a stream that differs from its diagram.
public struct MarbleMismatch: Error, Sendable, CustomStringConvertible {
  /// The subject of the diagrams, such as "The stream".
  public let subject: String
  /// The diagram that the test expects.
  public let expected: MarbleDiagram
  /// The diagram of the actual signals.
  public let actual: MarbleDiagram
  /// The meanings of symbols and other remarks, one on each line.
  public let notes: [String]
  /// The number of frames after which the test was cut off, unless everything came to an end.
  let cut: Int?

  /// Both diagrams below each other, with aligned frames and a pointer to the first difference.
  public var description: String {
    let lines = MarbleDiagram.aligned(expected, actual)
    let pointer = MarbleDiagram.pointer(expected, actual).map { ["          \($0)"] } ?? []
    let cut = cut.map { "; the test was cut off after its limit of \($0) frames" } ?? ""
    let texts = [
      "\(subject) differs from its diagram\(cut)",
      "expected: \(lines.0)",
      "actual:   \(lines.1)",
    ]
    return (texts + pointer + notes.map(MarbleText.line)).joined(separator: "\n")
  }
}
