import Foundation
import Streams

/// What waits for the subscriber of one call: its events in their order, and its end behind them.
///
/// Foundation cannot pause, so what waits here, and what was taken although a pause was asked for,
/// is held to a limit.
struct URLSessionMailbox {
  /// What is delivered next, and to whom; an end carries who is called no more, to be let go of.
  enum Item {
    case event(EngineEvent, EngineEventHandler)
    case end(Result<EngineResponse, TransportError>, EngineEventHandler?)
  }

  /// The bytes that may wait before they count: a thread that is about to take them may be late,
  /// which says nothing of the subscriber.
  static var lateBytes: Int { 4 << 20 }

  private let limit: Int
  /// Nil for a response that comes whole, and behind the end.
  private var onEvent: EngineEventHandler?
  private var events = FIFO<EngineEvent>()
  private var end: Result<EngineResponse, TransportError>?
  /// Whether the end came, or what takes its place.
  private var isShut = false
  /// Whether the end was delivered, or nobody is there for it.
  private var isOver = false
  private var isDelivering = false
  private var endsWithProgress = false
  private var status: Int?
  private var waitingBytes = 0
  /// The bytes that were taken while nobody asked for more.
  private var bytesAhead = 0

  /// - Parameters:
  ///   - onEvent: Takes the response in pieces; nil where it comes whole.
  ///   - limit: How many bytes may be kept that nobody asked for, or that nobody takes.
  init(to onEvent: EngineEventHandler?, limit: Int) {
    self.onEvent = onEvent
    self.limit = limit
  }

  /// Puts an event behind those that wait; none is taken behind the end.
  ///
  /// - Returns: Whether that was too much: then the fault is the end, and its task is of no use.
  mutating func append(_ event: EngineEvent) -> Bool {
    guard !isShut else { return false }
    switch event {
    case .sent:
      // The latest count says what the ones before it said; a long upload would fill the memory.
      if endsWithProgress, events.replaceLast(event) != nil { return false }
    case .head(let head): status = head.status
    case .chunk(let data): waitingBytes += data.count
    }
    if case .sent = event { endsWithProgress = true } else { endsWithProgress = false }
    events.append(event)
    return isTooMuch()
  }

  /// Puts the end behind all that waits.
  mutating func finish(_ result: Result<EngineResponse, TransportError>) {
    guard !isShut else { return }
    isShut = true
    end = result
  }

  /// Lets go of everything; nothing is delivered any more.
  ///
  /// - Returns: What the lock must not see the end of.
  mutating func drop() -> EngineEventHandler? {
    isShut = true
    isOver = true
    clear()
    end = nil
    return onEvent.take()
  }

  /// Whether somebody has to deliver: it is the caller's turn then, until ``next()`` is nil.
  mutating func takeTurn() -> Bool {
    guard !isDelivering, !events.isEmpty || end != nil else { return false }
    isDelivering = true
    return true
  }

  /// The next item for who delivers; nil gives the turn back.
  mutating func next() -> Item? {
    if let onEvent, let event = events.popFirst() {
      if case .chunk(let data) = event { waitingBytes -= data.count }
      return .event(event, onEvent)
    }
    if let end = end.take() {
      isOver = true
      return .end(end, onEvent.take())
    }
    isDelivering = false
    return nil
  }

  /// Counts what was taken although a pause was asked for.
  ///
  /// - Returns: As ``append(_:)`` does.
  mutating func note(_ flow: EngineFlow, after event: EngineEvent) -> Bool {
    guard flow == .pause, case .chunk(let data) = event else {
      bytesAhead = 0
      return false
    }
    bytesAhead += data.count
    return isTooMuch()
  }

  private mutating func isTooMuch() -> Bool {
    guard !isOver, bytesAhead + max(0, waitingBytes - Self.lateBytes) > limit else { return false }
    clear()
    isShut = true
    // A call that failed before has its fault.
    if case .failure? = end { return false }
    end = .failure(
      .afterSending(
        .limitExceeded(.bodyBytes),
        "more than \(limit) bytes came before they were asked for, and URLSession cannot wait",
        status: status))
    return true
  }

  private mutating func clear() {
    events = FIFO()
    waitingBytes = 0
  }
}
