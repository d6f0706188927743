/// A value that finds the ends of a body's lines, chunk by chunk.
///
/// It sees each byte once, in order.
protocol LineEnding: Sendable {
  /// Whether a carriage return directly before an end belongs to the end.
  static var includesCarriageReturn: Bool { get }

  /// Begins with the bytes of another chunk.
  mutating func beginChunk()

  /// Returns the start of the line at a position: after the rest of a line end that two chunks share.
  mutating func start(in bytes: UnsafeRawBufferPointer, at place: Int) -> Int

  /// Returns the end of the line that begins or continues at a position, or nil if the end has not arrived
  /// yet.
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
