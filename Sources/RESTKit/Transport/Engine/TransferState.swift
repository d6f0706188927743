import Foundation
import Streams

/// What a `TransferSubscription` knows, behind its lock.
struct TransferState<Downstream: Subscriber>
where Downstream.Input == TransferEvent, Downstream.Failure == any Error {
  /// What to do without the lock.
  enum Step {
    case event(TransferEvent, Downstream)
    case end(Subscribers.Completion<any Error>, Downstream)
    case resume(EngineCall)
    /// To see whether a task that reads ahead has taken what it was given.
    case ask(any ReadAhead)
  }

  /// Nil once nothing is delivered any more.
  private(set) var downstream: Downstream?
  var demand = Subscribers.Demand.none
  var call: EngineCall?
  var end: Subscribers.Completion<any Error>?
  /// What the body's own publisher failed with, which says more than the fault that follows.
  var bodyFailure: (any Error)?
  private var events = FIFO<TransferEvent>()
  private var waitingBytes = 0
  private var isPaused = false
  private var isDelivering = false
  private var readAhead: (any ReadAhead)?
  /// What was given since all of it was seen to be taken.
  private var givenBytes = 0
  /// Whether the task that reads ahead has to take what it has first.
  private var isHeld = false

  /// What may wait before the engine is paused: enough to go on with while it wakes up.
  private static var mark: Int { 128 << 10 }

  /// - Parameter canPause: Whether the engine waits where a task has to take something first. One that
  ///   cannot has no use of what is held back: it would only wait elsewhere, and be counted as too much.
  init(downstream: Downstream, canPause: Bool) {
    self.downstream = downstream
    readAhead = canPause ? downstream.context[ReadAheadKey.self] : nil
  }

  mutating func append(_ event: TransferEvent) {
    guard downstream != nil else { return }
    waitingBytes += event.size
    events.append(event)
  }

  /// Whether the engine may go on.
  mutating func flow() -> EngineFlow {
    isPaused = waitingBytes > Self.mark
    return isPaused ? .pause : .more
  }

  /// The next step, and with it the right to take it; nil where there is none, or others are at it.
  mutating func next() -> Step? {
    guard !isDelivering, let downstream else { return nil }
    guard !isHeld else { return nil }
    if demand > .none, !events.isEmpty, givenBytes > Self.mark, let readAhead {
      // It may be taken before the answer is there.
      isHeld = true
      isDelivering = true
      return .ask(readAhead)
    }
    if demand > .none, let event = events.popFirst() {
      demand -= 1
      waitingBytes -= event.size
      givenBytes += event.size
      isDelivering = true
      return .event(event, downstream)
    }
    if isPaused, events.isEmpty, let call {
      isPaused = false
      isDelivering = true
      return .resume(call)
    }
    // A failure does not wait for demand, but for the values before it.
    guard let end, events.isEmpty else { return nil }
    _ = close()
    return .end(end, downstream)
  }

  /// Gives the right of a step back.
  mutating func delivered(_ demand: Subscribers.Demand) {
    self.demand += demand
    isDelivering = false
  }

  /// Lets the task that reads ahead have more.
  mutating func release() {
    isHeld = false
    givenBytes = 0
  }

  /// Lets go of everything; what is to be ended, and what the lock must not see the end of.
  mutating func close() -> (EngineCall?, Downstream?) {
    defer {
      downstream = nil
      readAhead = nil
      call = nil
      events = FIFO()
    }
    return (call, downstream)
  }
}

extension TransferEvent {
  /// What it costs to keep: progress and heads count too, so that none pile up.
  fileprivate var size: Int {
    if case .chunk(let data) = self { data.count } else { 512 }
  }
}
