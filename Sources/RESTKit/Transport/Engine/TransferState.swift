import Foundation
import Streams

/// The state of a `TransferSubscription`, protected by its lock.
struct TransferState<Downstream: Subscriber>
where Downstream.Input == TransferEvent, Downstream.Failure == any Error {
  /// An action to run without the lock.
  enum Step {
    case event(TransferEvent, Downstream)
    case end(Subscribers.Completion<any Error>, Downstream)
    case resume(EngineCall)
    /// Asks a task that reads ahead whether it has taken its values.
    case ask(any ReadAhead)
  }

  /// The subscriber, or nil once nothing more is delivered.
  private(set) var downstream: Downstream?
  var demand = Subscribers.Demand.none
  var call: EngineCall?
  var end: Subscribers.Completion<any Error>?
  /// The failure of the body's own publisher, which tells more than the fault that follows.
  var bodyFailure: (any Error)?
  private var events = FIFO<TransferEvent>()
  private var waitingBytes = 0
  private var isPaused = false
  private var isDelivering = false
  private var readAhead: (any ReadAhead)?
  /// The bytes delivered since the task was last seen to have taken everything.
  private var givenBytes = 0
  /// Whether delivery waits until the task that reads ahead has taken its values.
  private var isHeld = false

  /// The waiting bytes at which the engine is paused: enough to continue with while it wakes up.
  private static var mark: Int { 128 << 10 }

  /// - Parameter canPause: Whether the engine can wait for a task to take its values. If it cannot, holding
  ///   values back has no use: they would wait elsewhere, and count against a limit.
  init(downstream: Downstream, canPause: Bool) {
    self.downstream = downstream
    readAhead = canPause ? downstream.context[ReadAheadKey.self] : nil
  }

  mutating func append(_ event: TransferEvent) {
    guard downstream != nil else { return }
    waitingBytes += event.size
    events.append(event)
  }

  /// Returns whether the engine may continue.
  mutating func flow() -> EngineFlow {
    isPaused = waitingBytes > Self.mark
    return isPaused ? .pause : .more
  }

  /// Returns the next step with the right to run it, or nil if there is no step or another thread runs one.
  mutating func next() -> Step? {
    guard !isDelivering, let downstream else { return nil }
    guard !isHeld else { return nil }
    if demand > .none, !events.isEmpty, givenBytes > Self.mark, let readAhead {
      // The values may be taken before the answer arrives.
      isHeld = true
      isDelivering = true
      return .ask(readAhead)
    }
    if demand > .none, let event = events.popFirst() {
      demand -= 1
      waitingBytes -= event.size
      if readAhead != nil { givenBytes += event.size }
      isDelivering = true
      return .event(event, downstream)
    }
    if isPaused, events.isEmpty, let call {
      isPaused = false
      isDelivering = true
      return .resume(call)
    }
    // A failure does not wait for demand, but for the preceding values.
    guard let end, events.isEmpty else { return nil }
    _ = close()
    return .end(end, downstream)
  }

  /// Ends the step and returns the right to run one.
  mutating func delivered(_ demand: Subscribers.Demand) {
    self.demand += demand
    isDelivering = false
  }

  /// Lets the task that reads ahead have more values.
  mutating func release() {
    isHeld = false
    givenBytes = 0
  }

  /// Releases everything.
  ///
  /// Returns the call to cancel, and the subscriber to release without the lock.
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
  /// The memory cost of an event.
  ///
  /// Progress and heads also count, so that they cannot pile up.
  fileprivate var size: Int {
    if case .chunk(let data) = self { data.count } else { 512 }
  }
}
