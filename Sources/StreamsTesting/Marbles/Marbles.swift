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
    var hotSources: [(prelude: Int, start: @Sendable () -> Void)] = []
  }

  /// The virtual time of the test, to pass to operators that wait.
  public let scheduler: TestScheduler
  /// The length of a frame.
  public let frame: Duration
  /// The maximum number of frames of a test.
  ///
  /// Later signals are not seen.
  public let limit: Int
  private let state = Lock(State())

  /// - Parameters:
  ///   - scheduler: The virtual time of the test.
  ///   - frame: The length of a frame, at least one nanosecond.
  ///   - limit: The maximum number of frames of a test, for streams that never end.
  public init(
    _ scheduler: TestScheduler = TestScheduler(), frame: Duration = .milliseconds(10),
    limit: Int = 1_000
  ) {
    self.scheduler = scheduler
    self.frame = max(frame, .nanoseconds(1))
    self.limit = limit
  }

  /// Creates a journal that is cleared at the start of each test.
  func newJournal() -> MarbleJournal {
    let journal = MarbleJournal()
    state.withLock { $0.journals.append(journal) }
    return journal
  }

  func add(hotSource start: @escaping @Sendable () -> Void, prelude: Int) {
    state.withLock { $0.hotSources.append((prelude, start)) }
  }

  /// Runs a publisher to its end, and records its signals with their times.
  ///
  /// - Parameter enough: The number of signals after which to stop, at the end of their frame.
  func run<Source: Publisher>(
    _ publisher: Source, demand: MarbleDiagram?, subscriber: MarbleDiagram?, enough: Int
  ) throws(MarbleError) -> MarbleRun<Source.Output, Source.Failure> {
    let stay = try MarbleStay(subscriber)
    let (sources, journals) = state.withLock { ($0.hotSources, $0.journals) }
    for journal in journals { journal.clear() }
    let prelude = sources.map(\.prelude).max() ?? 0
    let recorder = MarbleRecorder<Source.Output, Source.Failure>(scheduler: scheduler)

    // The actions of the subscriber come first in a frame, in this order, as one piece of work.
    var acts = [stay.begin: [{ @Sendable in publisher.subscribe(recorder) }]]
    if let demand {
      for event in demand.events {
        acts[event.frame, default: []].append { recorder.request(event.demand) }
      }
    } else {
      recorder.request(.unlimited)
    }
    if let end = stay.end { acts[end, default: []].append { recorder.cancel() } }
    for (frames, acts) in acts { after(prelude + frames) { for act in acts { act() } } }
    for source in sources { after(prelude - source.prelude) { source.start() } }

    let begin = scheduler.now + frame * prelude
    scheduler.advance()
    for _ in 0..<prelude + limit
    where scheduler.pendingCount > 0 && recorder.signals.count <= enough {
      scheduler.advance(by: frame)
    }
    return MarbleRun(begin: begin, recorder: recorder)
  }

  private func after(_ frames: Int, _ action: @escaping @Sendable () -> Void) {
    _ = scheduler.schedule(after: frame * frames, action)
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
    return MarbleDiagram(kind: kind, events: events)
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
