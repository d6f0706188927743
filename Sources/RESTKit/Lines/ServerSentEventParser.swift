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
  private var hasPendingID = false

  /// The last id that took effect.
  ///
  /// An id takes effect with the end of its event, even if the event has no data and is not
  /// delivered.
  private(set) var lastEventID: String

  /// Whether the response brought the last id, which may be the empty one.
  private(set) var hasID = false

  /// The time to wait before the next connection, if the server gave one.
  private(set) var reconnectionTime: Duration?

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
      case .id(let value): (pendingID, hasPendingID) = (value, true)
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
    (lastEventID, hasID) = (pendingID, hasPendingID)
    defer { (type, data, hasData) = ("", "", false) }
    guard hasData else { return nil }
    return ServerSentEvent(type: type.isEmpty ? "message" : type, data: data, id: lastEventID)
  }
}

/// Lines that end with CR, LF or CRLF, in any mix (HTML, 9.2.5).
///
/// A line that ends with CR is complete at once. An LF that follows is skipped when it arrives.
private struct EventStreamLines: LineEnding {
  private var isBehindCarriageReturn = false
  // The next CR and LF in this chunk, so that neither is searched for twice.
  private var carriageReturn = Place.unknown
  private var lineFeed = Place.unknown

  fileprivate enum Place {
    case unknown
    case at(Int)
    case nowhere
  }

  mutating func beginChunk() {
    (carriageReturn, lineFeed) = (.unknown, .unknown)
  }

  mutating func start(in bytes: UnsafeRawBufferPointer, at place: Int) -> Int {
    guard isBehindCarriageReturn, place < bytes.count else { return place }
    isBehindCarriageReturn = false
    return bytes[place] == UInt8(ascii: "\n") ? place + 1 : place
  }

  mutating func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> LineEnd? {
    let feed = lineFeed.next(UInt8(ascii: "\n"), in: bytes, from: start)
    let ending = carriageReturn.next(UInt8(ascii: "\r"), in: bytes, from: start)
    guard let ending, ending < feed ?? .max else {
      return feed.map { LineEnd(text: $0, next: $0 + 1) }
    }
    isBehindCarriageReturn = true
    return LineEnd(text: ending, next: ending + 1)
  }
}

extension EventStreamLines.Place {
  /// Returns the first position of a byte at or after a position.
  fileprivate mutating func next(
    _ byte: UInt8, in bytes: UnsafeRawBufferPointer, from start: Int
  ) -> Int? {
    switch self {
    case .at(let place) where place >= start: return place
    case .nowhere: return nil
    default:
      let found = bytes.firstIndex(of: byte, from: start)
      self = found.map { .at($0) } ?? .nowhere
      return found
    }
  }
}

/// The meaning of a line of a `text/event-stream` (HTML, 9.2.6).
private enum EventStreamField {
  /// An empty line, which completes the event.
  case end
  case data(String)
  case event(String)
  case id(String)
  case retry(milliseconds: Int64)
  /// A comment, a field of another name, or an invalid value.
  case ignored

  /// - Parameter line: The line without its end.
  init(_ line: UnsafeBufferPointer<UInt8>) {
    guard !line.isEmpty else {
      self = .end
      return
    }
    let bytes = UnsafeRawBufferPointer(line)
    let colon = bytes.firstIndex(of: UInt8(ascii: ":"), from: 0) ?? line.count
    let isSpaced = colon + 1 < line.count && line[colon + 1] == UInt8(ascii: " ")
    let start = min(colon + (isSpaced ? 2 : 1), line.count)
    let value = UnsafeBufferPointer(rebasing: line[start...])
    let name = UnsafeBufferPointer(rebasing: line[..<colon])
    if name.isName("data") {
      self = .data(String(decoding: value, as: UTF8.self))
    } else if name.isName("event") {
      self = .event(String(decoding: value, as: UTF8.self))
    } else if name.isName("id") {
      self = value.contains(0) ? .ignored : .id(String(decoding: value, as: UTF8.self))
    } else if name.isName("retry") {
      self = value.milliseconds.map { .retry(milliseconds: $0) } ?? .ignored
    } else {
      self = .ignored
    }
  }
}

extension UnsafeBufferPointer<UInt8> {
  fileprivate func isName(_ name: StaticString) -> Bool {
    guard count == name.utf8CodeUnitCount else { return false }
    for index in indices where self[index] != name.utf8Start[index] { return false }
    return true
  }

  /// The number that the digits make, clamped to the largest `Int64`; nil for any other text.
  fileprivate var milliseconds: Int64? {
    guard !isEmpty else { return nil }
    var number: Int64 = 0
    for byte in self {
      guard UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte else { return nil }
      let (shifted, isTooMuch) = number.multipliedReportingOverflow(by: 10)
      let (sum, isMore) = shifted.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      number = isTooMuch || isMore ? .max : sum
    }
    return number
  }
}
