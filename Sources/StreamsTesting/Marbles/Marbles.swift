import Streams

/// A tester of publishers that uses diagrams of signals, frame by frame, in virtual time.
///
/// ```swift
/// let marbles = Marbles()
/// let source = try marbles.publisher("--1--2--3--|", values: Int.init)
/// try marbles.expect(source.map { $0 * 2 }, toBe: "--2--4--6--|")
/// ```
///
/// A diagram is a text. `-` is a frame without an event, `|` is the end, `#` is a failure, and any
/// other character is a value. `( )` holds several events of one frame, quotes hold a value of
/// several characters, and spaces have no meaning. `Docs/Marbles.md` describes the notation.
///
/// Nothing happens before a test runs a publisher with `expect` or `diagram`. Everything then
/// happens on the thread of that call.
public final class Marbles: Sendable {
  private struct State: Sendable {
    var journals: [MarbleJournal] = []
    var hotSources: [(prelude: Int, start: @Sendable (Duration) -> Void)] = []
  }

  /// The virtual time of the test, to pass to operators that wait.
  public let scheduler: TestScheduler
  /// The length of a frame.
  public let frame: Duration
  /// The maximum number of frames of a test whose lines are not longer.
  ///
  /// Later signals are not seen. A mismatch says in its first line that the test was cut off here.
  /// It is a thousand million at most.
  public let limit: Int
  private let state = Lock(State())

  /// - Parameters:
  ///   - scheduler: The virtual time of the test.
  ///   - frame: The length of a frame, at least one nanosecond.
  ///   - limit: The maximum number of frames of a test whose lines are not longer, for streams that
  ///     never end.
  public init(
    _ scheduler: TestScheduler = TestScheduler(), frame: Duration = .milliseconds(10),
    limit: Int = 1_000
  ) {
    self.scheduler = scheduler
    self.frame = max(frame, .nanoseconds(1))
    self.limit = min(max(limit, 0), MarbleTime.mostFrames)
  }

  /// Creates a journal that is cleared at the start of each test.
  func newJournal() -> MarbleJournal {
    let journal = MarbleJournal()
    state.withLock { $0.journals.append(journal) }
    return journal
  }

  func add(hotSource start: @escaping @Sendable (Duration) -> Void, prelude: Int) {
    state.withLock { $0.hotSources.append((prelude, start)) }
  }

  /// Runs a publisher to its end, and records its signals with their times.
  ///
  /// - Parameters:
  ///   - enough: The number of signals after which to stop, at the end of their frame.
  ///   - length: The number of frames to run at least, if there is something to run.
  func run<Source: Publisher>(
    _ publisher: Source, demand: MarbleDiagram?, subscriber: MarbleDiagram?, enough: Int,
    length: Int
  ) throws(MarbleError) -> MarbleRun<Source.Output, Source.Failure> {
    let stay = try MarbleStay(subscriber)
    let (sources, journals) = state.withLock { ($0.hotSources, $0.journals) }
    for journal in journals { journal.clear() }
    let prelude = sources.map(\.prelude).max() ?? 0
    let recorder = MarbleRecorder<Source.Output, Source.Failure>(scheduler: scheduler)

    // The actions of the subscriber in a frame, in this order, are one piece of work.
    var acts = [stay.begin: [{ @Sendable in publisher.subscribe(recorder) }]]
    if let demand {
      for event in demand.events {
        acts[event.frame, default: []].append { recorder.request(event.demand) }
      }
    } else {
      recorder.request(.unlimited)
    }
    if let end = stay.end { acts[end, default: []].append { recorder.cancel() } }
    for (frames, acts) in acts {
      // Ahead of the sources, whatever the seed.
      scheduler.scheduleFirst(after: frame * (prelude + frames)) { for act in acts { act() } }
    }
    for source in sources { source.start(frame * (prelude - source.prelude)) }

    let start = scheduler.now
    let frames = max(limit, length)
    let isCut = advance(from: start, frames: prelude + frames) { recorder.signals.count <= enough }
    return MarbleRun(
      begin: start + frame * prelude, recorder: recorder, cut: isCut ? frames : nil)
  }

  /// Advances by whole frames, and passes over those in which nothing is due.
  ///
  /// - Returns: Whether work was left that is due later.
  private func advance(from start: Duration, frames: Int, while goesOn: () -> Bool) -> Bool {
    scheduler.advance()
    let end = start.adding(frame * frames)
    while goesOn(), let due = scheduler.nextDue {
      if due > end {
        scheduler.advance(by: end - scheduler.now)
        return true
      }
      let (number, rest) = due.since(start).attoseconds.quotientAndRemainder(
        dividingBy: frame.attoseconds)
      let time = start + frame * (Int(clamping: number) + (rest > 0 ? 1 : 0))
      scheduler.advance(by: time - scheduler.now)
    }
    return false
  }

  /// Draws signals that a test has recorded itself, each with its time.
  ///
  /// - Parameters:
  ///   - signals: The signals, in the order of time.
  ///   - begin: The time of the first frame. Earlier signals are left out.
  /// - Throws: A ``MarbleError`` if a signal came between two frames.
  public func diagram<Value, Failure: Error>(
    of signals: [(time: Duration, signal: Signal<Value, Failure>)], since begin: Duration = .zero
  ) throws(MarbleError) -> MarbleDiagram {
    let marks: [(time: Duration, mark: MarbleEvent.Mark)] = signals.map { time, signal in
      switch signal {
      case .value(let value): (time, .value("\(value)"))
      case .completion(.finished): (time, .finished)
      case .completion(.failure): (time, .failure)
      }
    }
    return try diagram(.signals, of: marks, since: begin)
  }

  /// Draws a line of recorded marks.
  func diagram(
    _ kind: MarbleDiagram.Kind, of marks: [(time: Duration, mark: MarbleEvent.Mark)],
    since begin: Duration
  ) throws(MarbleError) -> MarbleDiagram {
    var events: [MarbleEvent] = []
    for (time, mark) in marks where time >= begin {
      let (number, rest) = (time - begin).attoseconds.quotientAndRemainder(
        dividingBy: frame.attoseconds)
      if rest != 0 {
        throw MarbleError(
          problem: .betweenFrames(time: time - begin, frame: frame), line: 1, column: 1)
      }
      events.append(MarbleEvent(frame: Int(clamping: number), mark: mark))
    }
    return MarbleDiagram(kind: kind, events: events, frame: frame)
  }
}

/// The frames in which a test's one subscriber subscribes and cancels.
private struct MarbleStay {
  var begin = 0
  var end: Int?

  init(_ diagram: MarbleDiagram?) throws(MarbleError) {
    var hasBegun = false
    for event in diagram?.events ?? [] {
      if end != nil || (event.mark == .subscription && hasBegun) {
        throw event.error(.notOneSubscription)
      }
      if event.mark == .subscription {
        begin = event.frame
        hasBegun = true
      } else {
        end = event.frame
      }
    }
  }
}

/// The result of a run of a publisher.
struct MarbleRun<Output: Sendable, Failure: Error>: Sendable {
  let begin: Duration
  let recorder: MarbleRecorder<Output, Failure>
  /// The number of frames after which the run was cut off, unless it came to an end.
  let cut: Int?
}

extension MarbleEvent {
  var demand: Subscribers.Demand {
    switch mark {
    case .value(let count): .max(Int64(count).map { Int(clamping: $0) } ?? 0)
    case .unlimited: .unlimited
    default: .none
    }
  }
}
