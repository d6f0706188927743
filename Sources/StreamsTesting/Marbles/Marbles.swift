import Streams

/// Tests publishers with diagrams of what happens, frame by frame, in virtual time.
///
/// ```swift
/// let marbles = Marbles()
/// let source = try marbles.publisher("--1--2--3--|", values: Int.init)
/// try marbles.expect(source.map { $0 * 2 }, toBe: "--2--4--6--|")
/// ```
///
/// A diagram is a text: `-` is a frame in which nothing happens, `|` is the end and `#` a failure,
/// any other character is a value; `( )` holds what happens in one frame, quotes hold a value of
/// several characters, and spaces mean nothing. `Docs/Marbles.md` has it all.
///
/// Nothing happens before a test runs a publisher with `expect` or `diagram`, and all of it happens
/// on the thread that does.
public final class Marbles: Sendable {
  private struct State: Sendable {
    var journals: [MarbleJournal] = []
    var hotSources: [(prelude: Int, start: @Sendable () -> Void)] = []
  }

  /// The time of the test: what operators are given that wait.
  public let scheduler: TestScheduler
  /// How long a frame is.
  public let frame: Duration
  /// How many frames a test runs at most; what would come later is not seen.
  public let limit: Int
  private let state = Lock(State())

  /// - Parameters:
  ///   - scheduler: The time of the test.
  ///   - frame: How long a frame is; a nanosecond at least.
  ///   - limit: How many frames a test runs at most, for streams that never end.
  public init(
    _ scheduler: TestScheduler = TestScheduler(), frame: Duration = .milliseconds(10),
    limit: Int = 1_000
  ) {
    self.scheduler = scheduler
    self.frame = max(frame, .nanoseconds(1))
    self.limit = limit
  }

  /// Makes a journal that each test begins anew.
  func newJournal() -> MarbleJournal {
    let journal = MarbleJournal()
    state.withLock { $0.journals.append(journal) }
    return journal
  }

  func add(hotSource start: @escaping @Sendable () -> Void, prelude: Int) {
    state.withLock { $0.hotSources.append((prelude, start)) }
  }

  /// Runs a publisher to its end, and records what comes when.
  ///
  /// - Parameter enough: After how many signals to stop, at the end of their frame.
  func run<Source: Publisher>(
    _ publisher: Source, demand: MarbleDiagram?, subscriber: MarbleDiagram?, enough: Int
  ) throws(MarbleError) -> MarbleRun<Source.Output, Source.Failure> {
    let stay = try MarbleStay(subscriber)
    let (sources, journals) = state.withLock { ($0.hotSources, $0.journals) }
    for journal in journals { journal.clear() }
    let prelude = sources.map(\.prelude).max() ?? 0
    let recorder = MarbleRecorder<Source.Output, Source.Failure>(scheduler: scheduler)

    // What the subscriber does in a frame comes first in it, and in this order: one piece of work.
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
  ///   - signals: What came, in the order of time.
  ///   - begin: The time of the first frame; what came before is left out.
  /// - Throws: That something came between two frames.
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

  /// Draws a line of what happened.
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
      events.append(MarbleEvent(frame: Int(number), mark: mark))
    }
    return MarbleDiagram(kind: kind, events: events)
  }
}

/// When a test's one subscriber comes and goes.
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

/// What a run of a publisher has shown.
struct MarbleRun<Output: Sendable, Failure: Error>: Sendable {
  let begin: Duration
  let recorder: MarbleRecorder<Output, Failure>
}

extension MarbleEvent {
  var demand: Subscribers.Demand {
    switch mark {
    case .value(let count): .max(Int(count) ?? 0)
    case .unlimited: .unlimited
    default: .none
    }
  }
}
