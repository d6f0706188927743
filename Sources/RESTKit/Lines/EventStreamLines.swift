/// Lines that end with CR, LF or CRLF, in any mix (HTML, 9.2.5).
///
/// A line that ends with CR is complete at once. An LF that follows is skipped when it arrives.
struct EventStreamLines: LineEnding {
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
