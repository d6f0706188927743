/// Finds where the lines of a body end, chunk by chunk: a state of value type.
///
/// It sees each byte once, and in order.
protocol LineEnding: Sendable {
  /// Whether a carriage return right before an end belongs to it.
  static var includesCarriageReturn: Bool { get }

  /// Begins with the bytes of another chunk.
  mutating func beginChunk()

  /// Where the line at a place begins: behind it, where an end was cut between two chunks.
  mutating func start(in bytes: UnsafeRawBufferPointer, at place: Int) -> Int

  /// The end of the line that begins, or goes on, at a place; nil where it is in no chunk so far.
  mutating func end(in bytes: UnsafeRawBufferPointer, from start: Int) -> LineEnd?

  /// Takes in that the body's end is the end of what is left.
  mutating func endBody()
}

/// Where a line's text ends, and where the next line begins.
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
