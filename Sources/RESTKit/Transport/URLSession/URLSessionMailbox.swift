import Foundation
import Streams

/// The waiting events of one call's subscriber in order, followed by the call's end.
///
/// Foundation cannot pause. The bytes that wait here, and those taken in spite of a requested pause, have a
/// limit.
struct URLSessionMailbox {
  /// The next delivery with its receiver.
  ///
  /// An end carries the handler that is no longer needed, to release it.
  enum Item {
    case event(EngineEvent, EngineEventHandler)
    case end(Result<EngineResponse, TransportError>, EngineEventHandler?)
  }

  /// The waiting bytes that do not count.
  ///
  /// A delivery thread may start late, which says nothing about the subscriber.
  static var lateBytes: Int64 { 4 << 20 }

  private let limit: Int
  /// The handler, or nil for a whole response and after the end.
  private var onEvent: EngineEventHandler?
  private var events = FIFO<EngineEvent>()
  private var end: Result<EngineResponse, TransportError>?
  /// Whether the end, or a fault in its place, has arrived.
  private var isShut = false
  /// Whether the end was delivered or its receiver is gone.
  private var isOver = false
  private var isDelivering = false
  private var endsWithProgress = false
  private var status: Int?
  private var waitingBytes: Int64 = 0
  /// The bytes delivered while the subscriber had requested a pause.
  private var bytesAhead: Int64 = 0

  /// - Parameters:
  ///   - onEvent: The handler for the response in pieces, or nil for a whole response.
  ///   - limit: The maximum number of bytes kept without demand, or without delivery.
  init(to onEvent: EngineEventHandler?, limit: Int) {
    self.onEvent = onEvent
    self.limit = limit
  }

  /// Adds an event after those that wait.
  ///
  /// Events after the end are ignored.
  ///
  /// - Returns: Whether the limit was exceeded. The fault is then the end, and the task is no longer
  ///   needed.
  mutating func append(_ event: EngineEvent) -> Bool {
    guard !isShut else { return false }
    switch event {
    case .sent:
      // The latest count replaces the previous ones; a long upload would otherwise fill the memory.
      if endsWithProgress, events.replaceLast(event) != nil { return false }
    case .head(let head): status = head.status
    case .chunk(let data): waitingBytes += Int64(data.count)
    }
    if case .sent = event { endsWithProgress = true } else { endsWithProgress = false }
    events.append(event)
    return isTooMuch()
  }

  /// Adds the end after all waiting events.
  mutating func finish(_ result: Result<EngineResponse, TransportError>) {
    guard !isShut else { return }
    isShut = true
    end = result
  }

  /// Releases everything.
  ///
  /// Nothing more is delivered.
  ///
  /// - Returns: The handler, which must be released without the lock.
  mutating func drop() -> EngineEventHandler? {
    isShut = true
    isOver = true
    clear()
    end = nil
    return onEvent.take()
  }

  /// Whether there is something to deliver.
  ///
  /// If so, the caller must deliver until ``next()`` is nil.
  mutating func takeTurn() -> Bool {
    guard !isDelivering, !events.isEmpty || end != nil else { return false }
    isDelivering = true
    return true
  }

  /// Returns the next item to deliver; nil ends the caller's turn.
  mutating func next() -> Item? {
    if let onEvent, let event = events.popFirst() {
      if case .chunk(let data) = event { waitingBytes -= Int64(data.count) }
      return .event(event, onEvent)
    }
    if let end = end.take() {
      isOver = true
      return .end(end, onEvent.take())
    }
    isDelivering = false
    return nil
  }

  /// Counts bytes that were delivered in spite of a requested pause.
  ///
  /// - Returns: Whether the limit was exceeded, as for ``append(_:)``.
  mutating func note(_ flow: EngineFlow, after event: EngineEvent) -> Bool {
    guard flow == .pause, case .chunk(let data) = event else {
      bytesAhead = 0
      return false
    }
    bytesAhead += Int64(data.count)
    return isTooMuch()
  }

  private mutating func isTooMuch() -> Bool {
    let bytes = bytesAhead + max(0, waitingBytes - Self.lateBytes)
    guard !isOver, bytes > Int64(limit) else { return false }
    clear()
    isShut = true
    // A call that failed earlier keeps its fault.
    if case .failure? = end { return false }
    end = .failure(
      .afterSending(
        .limitExceeded(.bodyBytes),
        "more than \(limit) bytes arrived before they were requested, and URLSession cannot pause",
        status: status))
    return true
  }

  private mutating func clear() {
    events = FIFO()
    waitingBytes = 0
  }
}
