import Foundation

/// Reads a `text/event-stream` that comes in chunks, by the rules of HTML, 9.2.6: a state of value type.
///
/// One parser reads one response. What is unfinished when that ends is dropped with it.
struct ServerSentEventParser: Sendable {
  private var scanner: LineScanner<EventStreamLines>
  private let limit: Int
  private var type = ""
  private var data = ""
  private var hasData = false
  private var pendingID: String

  /// The last id that took effect: that of an event that was sent off, be it for want of data in vain.
  private(set) var lastEventID: String

  /// How long to wait before connecting again, if the server said so.
  private(set) var reconnectionTime: Duration?

  /// How many bytes came, those of comments included: more than before means that the stream is alive.
  private(set) var receivedBytes = 0

  /// - Parameters:
  ///   - limit: The most bytes of a line, and of an event's data.
  ///   - lastEventID: That of the response before, which holds until another id comes.
  init(limit: Int, lastEventID: String = "") {
    scanner = LineScanner(EventStreamLines(), limit: limit)
    self.limit = limit
    self.lastEventID = lastEventID
    pendingID = lastEventID
  }

  /// Takes the next bytes in, once ``next()`` has given nil.
  mutating func receive(_ chunk: Data) {
    receivedBytes += chunk.count
    scanner.receive(chunk)
  }

  /// The next event; nil where that takes another chunk.
  ///
  /// - Throws: ``LineError`` where a line or an event's data is longer than the limit.
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

  /// Ends an event; nil where it has no data.
  private mutating func dispatched() -> ServerSentEvent? {
    lastEventID = pendingID
    defer { (type, data, hasData) = ("", "", false) }
    guard hasData else { return nil }
    return ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: lastEventID)
  }
}
