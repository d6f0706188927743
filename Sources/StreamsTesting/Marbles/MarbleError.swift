/// The error in a text that is no marble diagram, with its place and a remedy.
public struct MarbleError: Error, Hashable, CustomStringConvertible {
  /// The problem of a text.
  public enum Problem: Sendable, Hashable {
    /// A `(` without its `)`.
    case openGroup
    /// A `)` without its `(`.
    case strayParenthesis
    /// An empty group.
    case emptyGroup
    /// A `(` or a `-` inside a group.
    case timeInGroup(Character)
    /// A time such as `2s` inside a group.
    case misplacedTime(String)
    /// A time that is no whole number of frames, or more than a line can have.
    case unfitTime(String, frame: Duration)
    /// A `"` without the one that ends the value.
    case openQuote
    /// An unknown escape in quotes, after a `\`.
    case unknownEscape(String)
    /// A sign after `|` or `#`.
    case afterEnd(String)
    /// A sign that has a meaning only on other lines.
    case misplaced(Character)
    /// A text on a demand line that is no number.
    case noDemand(String)
    /// A value on a subscription line.
    case noSubscription(String)
    /// A `#` without a failure to send for it.
    case missingFailure
    /// A value that the legend or the closure does not know.
    case unknownValue(String)
    /// More than one subscription, more than one cancel, or a cancel that comes first, for the one
    /// subscriber of a test.
    case notOneSubscription
    /// A signal between two frames, which no diagram can show.
    case betweenFrames(time: Duration, frame: Duration)
    /// Two lines of a chart, or two entries of its legend, with the same name.
    case repeatedName(String)
    /// A chart without a line that it needs.
    case missingLine(String)
  }

  /// The problem.
  public let problem: Problem
  /// The line of the text, from 1.
  public let line: Int
  /// The character in that line, from 1.
  public let column: Int

  /// Creates an error for a place in a text.
  public init(problem: Problem, line: Int, column: Int) {
    self.problem = problem
    self.line = line
    self.column = column
  }

  public var description: String { "line \(line), column \(column): \(problem)" }
}

extension MarbleError.Problem: CustomStringConvertible {
  public var description: String {
    switch self {
    case .openGroup: "the group has no end; write ) after the events of its frame"
    case .strayParenthesis: "a ) without a group; write ( before the events of its frame"
    case .emptyGroup: "an empty group; write - for a frame without events"
    case .timeInGroup(let sign):
      "\(sign) inside a group, which is one frame; write ) before it, or quote it as \"\(sign)\""
    case .misplacedTime(let text):
      "the time \(text) inside a group, which is one frame; write it before or after the group, or "
        + "without a space before it if its signs are values"
    case .unfitTime(let text, let frame):
      "\(text) is no whole number of frames of \(frame), or too many; change it or the frames, or "
        + "quote its signs if they are values"
    case .openQuote: "the quoted value has no end; write \" after it"
    case .unknownEscape(let text):
      "\(text) means nothing in quotes; write \\\\, \\\", \\n, \\t, \\r or \\u{…}"
    case .afterEnd(let sign):
      "\(sign) after the end of the stream; take it out, or move the | or # behind it"
    case .misplaced(let sign): Self.remedy(forMisplaced: sign)
    case .noDemand(let text):
      "\(text) is not a demand; write a digit, a quoted number, or * for no limit"
    case .noSubscription(let text):
      "\(text) on a subscription line; write ^ for a subscription and ! for a cancel"
    case .missingFailure: "a # without an error to fail with; pass one as failure:"
    case .unknownValue(let symbol):
      "no value for \(symbol); add it to the legend, or return it from the closure"
    case .notOneSubscription:
      "a test has one subscriber; write one ^ at most and after it one ! at most"
    case .betweenFrames(let time, let frame):
      "a signal came at \(time), between two frames of \(frame); choose frames that divide it"
    case .repeatedName(let name): "\(name) is used already; choose another name"
    case .missingLine(let name): "no line \(name): in this chart; add it"
    }
  }

  private static func remedy(forMisplaced sign: Character) -> String {
    switch sign {
    case "^":
      "^ belongs on a subscription line, or once on a source; to send it as a value, write \"^\""
    case "!": "! belongs on a subscription line; to send it as a value, write \"!\""
    case "*": "* belongs on a demand line; to send it as a value, write \"*\""
    default: "\(sign) belongs on a line of signals; take it out"
    }
  }
}
