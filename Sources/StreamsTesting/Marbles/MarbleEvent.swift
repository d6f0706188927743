/// What a marble diagram says happens in one of its frames.
public struct MarbleEvent: Sendable, Hashable {
  /// What can happen.
  public enum Mark: Sendable, Hashable {
    /// A value, by its symbol: a character, or what stands in quotes. A number on a demand line.
    case value(String)
    /// `|`: the stream finishes.
    case finished
    /// `#`: the stream fails.
    case failure
    /// `^`: a subscriber comes.
    case subscription
    /// `!`: a subscriber cancels.
    case cancel
    /// `*`: everything is asked for.
    case unlimited
  }

  /// When it happens, in frames since the start.
  public let frame: Int
  /// What happens.
  public let mark: Mark

  // Where it stands in its text, for errors that only its use can find; not part of what it is.
  let line: Int
  let column: Int

  /// Makes an event, of which lines can be drawn.
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
