import Foundation

/// A parser for a `text/event-stream` in chunks, by the rules of HTML, 9.2.6.
///
/// It is a value.
///
/// One parser reads one response. An incomplete event at the end of the response is dropped.
struct ServerSentEventParser: Sendable {
  private var scanner: LineScanner<EventStreamLines>
  private let limit: Int
  private var type = ""
  private var data = ""
  private var hasData = false
  private var pendingID: String

  /// The last id that took effect.
  ///
  /// An id takes effect with the end of its event, even if the event has no data and is not delivered.
  private(set) var lastEventID: String

  /// The time to wait before the next connection, if the server gave one.
  private(set) var reconnectionTime: Duration?

  /// The number of received bytes, including those of comments.
  ///
  /// If it grows, the stream is alive.
  private(set) var receivedBytes: Int64 = 0

  /// - Parameters:
  ///   - limit: The maximum length of a line, and of an event's data, in bytes.
  ///   - lastEventID: The id of the previous response, which remains until another id arrives.
  init(limit: Int, lastEventID: String = "") {
    scanner = LineScanner(EventStreamLines(), limit: limit)
    self.limit = limit
    self.lastEventID = lastEventID
    pendingID = lastEventID
  }

  /// Takes the next bytes, after ``next()`` has returned nil.
  mutating func receive(_ chunk: Data) {
    receivedBytes += Int64(chunk.count)
    scanner.receive(chunk)
  }

  /// Returns the next event, or nil if it needs another chunk.
  ///
  /// - Throws: ``LineError`` if a line or an event's data exceeds the limit.
  mutating func next() throws(LineError) -> ServerSentEvent? {
    while let field = try scanner.next(EventStreamField.init) {
      switch field {
      case .end: if let event = dispatched() { return event }
      case .data(let value): try append(value)
      case .event(let value): type = value
      case .id(let value): pendingID = value
      case .retry(let milliseconds): reconnectionTime = .milliseconds(milliseconds)
      case .ignored: break
      }
    }
    return nil
  }

  private mutating func append(_ value: String) throws(LineError) {
    guard hasData else {
      (data, hasData) = (value, true)
      return
    }
    guard value.utf8.count < limit, data.utf8.count < limit - value.utf8.count else {
      throw LineError(.eventTooLong(limit: limit), line: scanner.line)
    }
    data += "\n"
    data += value
  }

  /// Ends an event.
  ///
  /// Returns nil if the event has no data.
  private mutating func dispatched() -> ServerSentEvent? {
    lastEventID = pendingID
    defer { (type, data, hasData) = ("", "", false) }
    guard hasData else { return nil }
    return ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: lastEventID)
  }
}
