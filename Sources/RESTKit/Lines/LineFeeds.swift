import Foundation

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
