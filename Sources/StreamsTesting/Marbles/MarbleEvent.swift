/// An event in one frame of a marble diagram.
public struct MarbleEvent: Sendable, Hashable {
  /// The kind of an event.
  public enum Mark: Sendable, Hashable {
    /// A value, by its symbol: a character or a quoted text, and a number on a demand line.
    case value(String)
    /// `|`: the stream finishes.
    case finished
    /// `#`: the stream fails.
    case failure
    /// `^`: a subscriber subscribes.
    case subscription
    /// `!`: a subscriber cancels.
    case cancel
    /// `*`: a subscriber requests everything.
    case unlimited
  }

  /// The frame of the event, counted from the start.
  public let frame: Int
  /// The event.
  public let mark: Mark

  // The place in the text, for errors that are found only when the event is used. It does not count
  // for equality.
  let line: Int
  let column: Int

  /// Creates an event, to build a line from.
  public init(frame: Int, mark: Mark) {
    self.init(frame: frame, mark: mark, line: 1, column: 1)
  }

  init(frame: Int, mark: Mark, line: Int, column: Int) {
    self.frame = frame
    self.mark = mark
    self.line = line
    self.column = column
  }

  func error(_ problem: MarbleError.Problem) -> MarbleError {
    MarbleError(problem: problem, line: line, column: column)
  }

  public static func == (lhs: MarbleEvent, rhs: MarbleEvent) -> Bool {
    lhs.frame == rhs.frame && lhs.mark == rhs.mark
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(frame)
    hasher.combine(mark)
  }
}
