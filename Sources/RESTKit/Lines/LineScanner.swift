import Foundation

/// A scanner that splits a body in chunks into lines.
///
/// The bytes of a chunk are appended to the rest of the previous one. That rest moves to the front
/// at most once, and no byte is searched twice. The time is therefore linear for any division into
/// chunks. The bytes are in an array, since access to the bytes of a `Data` costs as much as making
/// a string of them.
struct LineScanner<Ending: LineEnding>: Sendable {
  /// The maximum length of a line in bytes, without its end.
  let limit: Int
  private(set) var ending: Ending
  private var buffer: [UInt8] = []
  /// The start of the next line.
  private var start = 0
  /// The position up to which its end was searched for.
  private var searched = 0
  private var hasEnded = false
  /// The number of the line that was read last, from 1; zero before the first line.
  private(set) var line = 0

  init(_ ending: Ending, limit: Int) {
    self.ending = ending
    self.limit = limit
  }

  /// Takes the next bytes, after ``next(_:)`` has returned nil.
  mutating func receive(_ chunk: Data) {
    if start == buffer.count {
      buffer.removeAll(keepingCapacity: buffer.capacity <= Self.keptCapacity)
    } else if start > 0 {
      buffer.removeSubrange(..<start)
    }
    (start, searched) = (0, searched - start)
    chunk.withUnsafeBytes { buffer.append(contentsOf: $0) }
    ending.beginChunk()
  }

  /// Leaves the line that was read last out of the count.
  mutating func forgetLine() {
    line -= 1
  }

  /// Takes the end of the body.
  ///
  /// The remaining text is the last line.
  mutating func end() {
    hasEnded = true
    ending.endBody()
  }

  /// Reads the next line.
  ///
  /// The result is nil if the line needs another chunk, or if there is no line.
  ///
  /// - Parameter read: A closure that receives the line's bytes, without its end and without a byte
  ///   order mark.
  /// - Throws: ``LineError`` as soon as the line is known to exceed the limit.
  mutating func next<Result>(
    _ read: (UnsafeBufferPointer<UInt8>) -> Result
  ) throws(LineError) -> Result? {
    var (ending, start, searched) = (ending, start, searched)
    let (isFirst, hasEnded, limit) = (line == 0, hasEnded, limit)
    let outcome = buffer.withUnsafeBytes { bytes -> Outcome<Result> in
      if searched == start {
        start = ending.start(in: bytes, at: start)
        searched = start
      }
      let end = ending.end(in: bytes, from: searched)
      let text = bytes[start..<(end?.text ?? bytes.count)]
        .text(isFirst: isFirst, isWhole: end != nil || !hasEnded, of: Ending.self)
      searched = end?.next ?? bytes.count
      guard end != nil || hasEnded else {
        let mayBeMark = isFirst && byteOrderMark.starts(with: bytes)
        return text.count > limit && !mayBeMark ? .tooLong : .unfinished
      }
      start = searched
      if end == nil, text.isEmpty { return .unfinished }
      return text.count > limit ? .tooLong : .line(read(text))
    }
    (self.ending, self.start, self.searched) = (ending, start, searched)
    switch outcome {
    case .unfinished:
      return nil
    case .tooLong:
      throw LineError(.tooLong(limit: limit), line: line + 1)
    case .line(let result):
      line += 1
      return result
    }
  }

  private enum Outcome<Result> {
    case line(Result)
    case tooLong
    case unfinished
  }

  /// The capacity that is kept for the next chunk.
  private static var keptCapacity: Int { 64 << 10 }
}

private let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

extension Slice<UnsafeRawBufferPointer> {
  /// The text of a line, without the byte order mark at the beginning of a body.
  ///
  /// - Parameter isWhole: Whether a carriage return at the end of the text may belong to the line's
  ///   end.
  @inline(__always)
  fileprivate func text(
    isFirst: Bool, isWhole: Bool, of ending: (some LineEnding).Type
  ) -> UnsafeBufferPointer<UInt8> {
    var text = UnsafeRawBufferPointer(rebasing: self).assumingMemoryBound(to: UInt8.self)
    if isFirst, text.starts(with: byteOrderMark) {
      text = UnsafeBufferPointer(rebasing: text.dropFirst(byteOrderMark.count))
    }
    if isWhole, ending.includesCarriageReturn, text.last == UInt8(ascii: "\r") {
      text = UnsafeBufferPointer(rebasing: text.dropLast())
    }
    return text
  }
}

/// A value that finds the ends of a body's lines, chunk by chunk.
///
/// It sees each byte once, in order.
protocol LineEnding: Sendable {
  /// Whether a carriage return directly before an end belongs to the end.
  static var includesCarriageReturn: Bool { get }

  /// Begins with the bytes of another chunk.
  mutating func beginChunk()

  /// Returns the start of the line at a position: after the rest of a line end that two chunks
  /// share.
  mutating func start(in bytes: UnsafeRawBufferPointer, at place: Int) -> Int

  /// Returns the end of the line that begins or continues at a position, or nil if the end has not
  /// arrived yet.
  mutating func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> LineEnd?

  /// Treats the end of the body as the end of the remaining text.
  mutating func endBody()
}

/// The end of a line's text, and the start of the next line.
struct LineEnd {
  let text: Int
  let next: Int
}

extension LineEnding {
  static var includesCarriageReturn: Bool { false }

  mutating func beginChunk() {}

  mutating func endBody() {}

  mutating func start(in bytes: UnsafeRawBufferPointer, at place: Int) -> Int { place }
}

/// Lines that end only with LF or CRLF.
struct LineFeeds: LineEnding {
  static let includesCarriageReturn = true

  func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> LineEnd? {
    bytes.firstIndex(of: UInt8(ascii: "\n"), from: start).map { LineEnd(text: $0, next: $0 + 1) }
  }
}

extension UnsafeRawBufferPointer {
  /// Returns the position of a byte, searched a vector at a time.
  func firstIndex(of byte: UInt8, from start: Int) -> Int? {
    guard start < count, let base = baseAddress,
      let place = memchr(base + start, Int32(byte), count - start)
    else { return nil }
    return UnsafeRawPointer(place) - base
  }
}
