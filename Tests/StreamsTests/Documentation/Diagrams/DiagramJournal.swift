import Streams
import StreamsTesting

/// The events of a run of a diagram's code: each subscription with its signals.
final class DiagramJournal: Sendable {
  private struct Track {
    let name: String
    let start: Duration
    var marks: [(time: Duration, mark: MarbleEvent.Mark)] = []
  }

  private struct State {
    var tracks: [Track] = []
    var isClosed = false
  }

  private let scheduler: TestScheduler
  private let frame: Duration
  private let begin: Duration
  private let state = Lock(State())

  init(_ marbles: Marbles) {
    scheduler = marbles.scheduler
    frame = marbles.frame
    begin = scheduler.now
  }

  /// The publisher, whose subscriptions are written down.
  ///
  /// - Parameters:
  ///   - name: The line's name.
  ///   - symbol: Returns the symbol of a value.
  func watching<Upstream: Publisher>(
    _ upstream: Upstream, as name: String, symbol: @escaping @Sendable (Upstream.Output) -> String
  ) -> some Publisher<Upstream.Output, Upstream.Failure> {
    Deferred { [self] in
      let place = open(name)
      return upstream.handleEvents(
        receiveOutput: { [self] in add(.value(symbol($0)), at: place) },
        receiveCompletion: { [self] in
          if case .finished = $0 { add(.finished, at: place) } else { add(.failure, at: place) }
        },
        receiveCancel: { [self] in add(.cancel, at: place) })
    }
  }

  /// Stops recording, because the test only cleans up from here on.
  func close() {
    state.withLock { $0.isClosed = true }
  }

  private func open(_ name: String) -> Int {
    state.withLock { state in
      if !state.isClosed { state.tracks.append(Track(name: name, start: scheduler.now)) }
      return state.tracks.count - 1
    }
  }

  private func add(_ mark: MarbleEvent.Mark, at place: Int) {
    state.withLock { state in
      if !state.isClosed { state.tracks[place].marks.append((scheduler.now, mark)) }
    }
  }

  /// The chart as it was run: a line for each subscription, in the order in which the sources'
  /// first ones began, each with its demand, of which the run has shown that it arrives as the
  /// chart says.
  func panel(of chart: MarbleChart) throws -> MarblePicture.Panel {
    func demand(_ name: String) throws -> [MarblePicture.Line] {
      guard chart.names.contains(name) else { return [] }
      return [MarblePicture.Line(name, try chart.diagram(name, kind: .demand))]
    }
    let sources = try chart.sources.map { name in
      try lines(name, plan: chart.diagram(name, kind: .source)) + demand("\(name) demand")
    }
    return try MarblePicture.Panel(
      call: chart.call, sources: sources.sorted { begin($0) < begin($1) }.flatMap { $0 },
      results: demand("demand") + lines("result", plan: nil) + lines("late result", plan: nil),
      legend: chart.legend)
  }

  /// Checks what has come at the only subscription of a name.
  func check(_ name: String, is expected: MarbleDiagram) throws {
    let actual = lines(name, plan: nil).map { line in
      MarbleDiagram(events: line.diagram.events.filter { $0.mark != .subscription })
    }
    guard actual.count == 1, let actual = actual.first, actual.agrees(with: expected) else {
      throw DiagramError(
        description: "\(name) is to be \(expected), not \(actual.map(\.description))")
    }
  }

  /// - Parameter plan: The events of each subscription without a cancel.
  private func lines(_ name: String, plan: MarbleDiagram?) -> [MarblePicture.Line] {
    state.withLock { $0.tracks }.filter { $0.name == name }.map { track in
      let start = count(track.start)
      var events = track.marks.map { MarbleEvent(frame: count($0.time), mark: $0.mark) }
      if let last = events.last, last.mark == .cancel, let plan {
        events += plan.events.dropFirst(events.count - 1).map {
          MarbleEvent(frame: max(start + $0.frame, last.frame), mark: $0.mark)
        }
      }
      // A line begins with the test, unless it says otherwise.
      if start > 0 { events.insert(MarbleEvent(frame: start, mark: .subscription), at: 0) }
      return MarblePicture.Line(name, MarbleDiagram(events: events))
    }
  }

  private func begin(_ lines: [MarblePicture.Line]) -> Int {
    guard let first = lines.first?.diagram.events.first else { return 0 }
    return first.mark == .subscription ? first.frame : 0
  }

  private func count(_ time: Duration) -> Int { Int(((time - begin) / frame).rounded()) }
}
