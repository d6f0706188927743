import Foundation
import HTTPWire
import Streams

/// The events of one call in pieces, in order, between its engine and its subscriber.
///
///     engine ── append, finish ──▶ ┌────────────────┐ ── events, then the end ──▶ subscriber
///            ◀── pause, resume ─── │ demand · bytes │ ◀── request, close ────────
///                                  └────────────────┘
///
/// - **Delivery.** An event needs demand. The end follows the last event and needs none. One thread
///   at a time delivers, with no lock held: the first that finds something to deliver. It also
///   delivers what others add meanwhile, so the stack does not grow with the events, and an event
///   that comes or is requested during a delivery needs no other thread.
/// - **The threads.** The engine delivers what it adds: if `append` or `finish` says so, one of its
///   threads calls ``deliver()`` or ``deliverOne()``. What waited for demand is delivered by the
///   thread that requests it, and what waited for a task that reads ahead, by the thread that takes
///   its last value.
/// - **The bound.** Beyond 128 KiB that nobody wants yet, the engine pauses until no event waits.
///   Beyond what one turn of the engine may add, it also pauses if the events are wanted. An engine
///   that cannot pause fails the call instead, at its limit. A chunk counts with 64 bytes at least,
///   since a body in chunks of one byte needs far more memory than its bytes.
/// - **A task that reads ahead** requests many values, whatever their size. For each 128 KiB, it
///   must first take what it has.
/// - **The end** may come long before the events are taken. The engine is done then, and keeps
///   nothing of the call.
/// - **Close.** After a cancel nothing is delivered, except an event that another thread is
///   delivering. Who cancels the call also closes its buffer.
final class EventBuffer: Sendable {
  /// Takes an event, and returns how many more are wanted.
  typealias Receive = @Sendable (EngineEvent) -> Subscribers.Demand

  /// What the engine does when too much waits.
  enum Overflow: Sendable {
    /// It pauses.
    ///
    /// - Parameter resume: Runs once after each pause, on any thread, when no event waits.
    case pauses(resume: @Sendable () -> Void)
    /// It cannot pause, and fails the call if more than this number of bytes wait.
    ///
    /// If they are wanted, what a turn may add is not counted. They are dropped then.
    case fails(limit: Int)
  }

  /// What follows from an event that was added.
  struct Reply: Equatable {
    /// Whether one of the engine's threads must deliver.
    var mustDeliver = false
    var flow = EngineFlow.more
  }

  private let state: Lock<State>

  /// - Parameters:
  ///   - readAhead: The task that reads ahead, if there is one.
  ///   - receive: The subscriber. It is released with the end, or when the buffer is closed.
  init(readAhead: (any ReadAhead)? = nil, to receive: @escaping Receive) {
    state = Lock(State(Content(receive: receive, readAhead: readAhead)))
  }

  // MARK: The engine

  /// Says what happens when too much waits; nothing does before.
  func begin(_ overflow: Overflow) {
    state.withLock { $0.overflow = overflow }
  }

  /// Adds an event behind those that wait.
  ///
  /// Events behind the end are dropped.
  func append(_ event: EngineEvent) -> Reply {
    state.withLock { state in
      let flow = state.append(event)
      return Reply(mustDeliver: state.takeCall(), flow: flow)
    }
  }

  /// Adds the end of the call.
  ///
  /// Of two ends, the first one counts.
  ///
  /// - Returns: Whether one of the engine's threads must deliver.
  func finish(_ result: Result<EngineResponse, TransportError>, of call: EngineCall) -> Bool {
    state.withLock { state in
      state.finish(End(call: call, result: result))
      return state.takeCall()
    }
  }

  // MARK: The subscriber

  func request(_ demand: Subscribers.Demand) {
    state.withLock { $0.demand += demand }
    drain()
  }

  /// Drops everything.
  ///
  /// - Returns: What was dropped. Its release may run user code.
  @discardableResult
  func close() -> Content {
    state.withLock { $0.close() }
  }

  // MARK: Delivery

  /// Delivers all that can be delivered, unless another thread does.
  ///
  /// It is for the engine's threads.
  func deliver() {
    state.withLock { $0.isCalled = false }
    drain()
  }

  private func drain() {
    var demand: Subscribers.Demand?
    while let step = state.withLock({ $0.next(after: demand) }) { demand = run(step) }
  }

  /// Delivers one event, or the end, unless another thread does.
  ///
  /// It is for the engine's threads.
  ///
  /// - Returns: Whether more can be delivered. The caller must call ``deliver()`` or this method
  ///   again.
  func deliverOne() -> Bool {
    let first = state.withLock { state in
      state.isCalled = false
      return state.next(after: nil)
    }
    guard let step = first else { return false }
    let demand = run(step)
    return state.withLock { state in
      state.isDelivering = false
      state.demand += demand
      return state.takeCall()
    }
  }

  /// Runs a step without the lock, and returns the demand that follows from it.
  private func run(_ step: Step) -> Subscribers.Demand {
    switch step {
    case .event(let event, let receiver):
      return receiver.receive(event)
    case .end(let end, let content):
      end.call.complete(end.result)
      withExtendedLifetime(content) {}
    case .resume(let resume):
      resume()
    case .ask(let readAhead):
      let isAhead = readAhead.isAhead { [weak self] in
        self?.state.withLock { $0.release() }
        self?.drain()
      }
      if !isAhead { state.withLock { $0.release() } }
    }
    return .none
  }
}

extension EventBuffer {
  /// What a buffer holds, to release it without the lock.
  struct Content: Sendable {
    // It is in a struct, so that the lock can return it without a wrapper.
    fileprivate var receive: Receive?
    fileprivate var readAhead: (any ReadAhead)?
    fileprivate var events = FIFO<EngineEvent>()
    /// The events of an engine that cannot pause and went beyond its limit.
    fileprivate var dropped = FIFO<EngineEvent>()
    fileprivate var end: End?
    fileprivate var overflow: Overflow?

    /// Whether its release does nothing.
    var isEmpty: Bool { receive == nil }
  }

  fileprivate struct End: Sendable {
    let call: EngineCall
    let result: Result<EngineResponse, TransportError>
  }

  fileprivate struct Receiver {
    let receive: Receive
  }

  /// An action to run without the lock.
  fileprivate enum Step {
    case event(EngineEvent, Receiver)
    case end(End, Content)
    case resume(@Sendable () -> Void)
    /// Asks a task that reads ahead whether it has taken its values.
    case ask(any ReadAhead)
  }

  fileprivate struct State: Sendable {
    private var content: Content
    var demand = Subscribers.Demand.none
    /// Whether a thread is running a step.
    var isDelivering = false
    /// Whether one of the engine's threads is about to deliver.
    var isCalled = false
    private var isPaused = false
    private var isFinished = false
    /// The sum of the weights of the waiting chunks.
    private var waitingBytes: Int64 = 0
    private var endsWithProgress = false
    /// The bytes delivered since the task was last seen to have taken everything.
    private var givenBytes: Int64 = 0
    /// Whether delivery waits until the task that reads ahead has taken its values.
    private var isHeld = false

    /// The waiting bytes beyond which the engine pauses: enough to continue with while it wakes up.
    private static let mark: Int64 = 128 << 10
    /// The same for wanted bytes, which wait only until the engine comes to their delivery.
    ///
    /// For an engine that cannot pause, they do not count: a delivery thread may start late, which
    /// says nothing about the subscriber.
    private static let turn: Int64 = 4 << 20
    /// The number of waiting events from which progress is merged.
    private static let manyEvents = 16

    init(_ content: Content) { self.content = content }

    var overflow: Overflow? {
      get { content.overflow }
      set { if !isClosed { content.overflow = newValue } }
    }

    private var isClosed: Bool { content.receive == nil }

    private var canPause: Bool { if case .pauses? = overflow { true } else { false } }

    // MARK: Adding

    mutating func append(_ event: EngineEvent) -> EngineFlow {
      guard !isClosed, !isFinished else { return .more }
      guard content.dropped.isEmpty else { return .stop }
      let follows = endsWithProgress
      endsWithProgress = false
      switch event {
      case .sent:
        endsWithProgress = true
        // The latest count replaces the previous ones; a long upload would otherwise fill the
        // memory.
        let isMany = content.events.count >= Self.manyEvents
        if isMany, follows, content.events.replaceLast(event) != nil { return .more }
      case .head: break
      case .chunk(let data): waitingBytes += data.weight
      }
      content.events.append(event)
      return flow()
    }

    private mutating func flow() -> EngineFlow {
      switch overflow {
      case nil:
        return .more
      case .pauses:
        // A subscriber that takes long with an event wants nothing at present.
        let isWanted = !isDelivering && !isHeld && demand >= content.events.count
        if waitingBytes > (isWanted ? Self.turn : Self.mark) { isPaused = true }
        return isPaused ? .pause : .more
      case .fails(let limit):
        let isWanted = isDelivering || demand > .none
        guard waitingBytes - (isWanted ? Self.turn : 0) > Int64(limit) else { return .more }
        swap(&content.events, &content.dropped)
        waitingBytes = 0
        return .stop
      }
    }

    mutating func finish(_ end: End) {
      guard !isClosed, !isFinished else { return }
      isFinished = true
      content.end = end
    }

    // MARK: Delivering

    /// Returns whether the engine must call one of its threads for what can be delivered.
    mutating func takeCall() -> Bool {
      guard !isDelivering, !isCalled, !isHeld, !isClosed else { return false }
      isCalled = content.events.isEmpty ? isFinished || isPaused : demand > .none
      return isCalled
    }

    /// Returns the next step with the right to run it, or nil if there is none, or another thread
    /// runs one.
    ///
    /// - Parameter added: The demand that follows from the caller's last step; nil before its
    ///   first.
    mutating func next(after added: Subscribers.Demand?) -> Step? {
      if let added {
        isDelivering = false
        demand += added
      }
      guard !isDelivering, !isHeld, let receive = content.receive else { return nil }
      if demand > .none, !content.events.isEmpty, givenBytes > Self.mark, canPause,
        let readAhead = content.readAhead
      {
        // The values may be taken before the response arrives.
        isHeld = true
        isDelivering = true
        return .ask(readAhead)
      }
      if demand > .none, let event = content.events.popFirst() {
        isDelivering = true
        demand -= 1
        if case .chunk(let data) = event {
          waitingBytes -= data.weight
          if content.readAhead != nil { givenBytes += Int64(data.count) }
        }
        return .event(event, Receiver(receive: receive))
      }
      guard content.events.isEmpty else { return nil }
      if let end = content.end {
        isDelivering = true
        return .end(end, close())
      }
      guard isPaused, case .pauses(let resume)? = overflow else { return nil }
      isPaused = false
      isDelivering = true
      return .resume(resume)
    }

    /// Lets the task that reads ahead have more values.
    mutating func release() {
      isHeld = false
      givenBytes = 0
    }

    mutating func close() -> Content {
      defer { content = Content() }
      return content
    }
  }
}

extension Data {
  /// The bytes with which a chunk that waits counts.
  fileprivate var weight: Int64 { Int64(Swift.max(count, 64)) }
}
