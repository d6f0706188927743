/// A parser of one line of marble notation.
struct MarbleParser {
  private let text: [Character]
  private let kind: MarbleDiagram.Kind
  private let length: Duration
  private var index = 0
  private var line: Int
  private var column: Int
  private var group: (line: Int, column: Int, count: Int)?
  private var isEnded = false
  private(set) var frame = 0
  private(set) var events: [MarbleEvent] = []

  /// - Parameters:
  ///   - frame: The length of a frame, by which times in the text are counted.
  ///   - line: The number of the line that holds the text, for errors.
  ///   - column: The column at which the text begins.
  init(
    _ text: String, kind: MarbleDiagram.Kind, frame: Duration, line: Int = 1, column: Int = 1
  ) {
    self.text = Array(text)
    self.kind = kind
    length = max(frame, .nanoseconds(1))
    self.line = line
    self.column = column
  }

  mutating func parse() throws(MarbleError) {
    while index < text.count {
      try step(text[index])
    }
    if let group { throw MarbleError(problem: .openGroup, line: group.line, column: group.column) }
  }

  private mutating func step(_ sign: Character) throws(MarbleError) {
    let place = (line, column)
    switch sign {
    case "-":
      if group != nil { throw error(.timeInGroup(sign)) }
      frame += 1
      advance()
    case "(":
      if group != nil { throw error(.timeInGroup(sign)) }
      group = (line, column, events.count)
      advance()
    case ")":
      guard let open = group else { throw error(.strayParenthesis) }
      if events.count == open.count { throw error(.emptyGroup) }
      group = nil
      frame += 1
      advance()
    case "\"":
      try add(.value(try quoted()), text: "a value", at: place)
    case _ where sign.isWhitespace:
      advance()
    case _ where sign.isASCIIDigit:
      if let time = time() { try pass(time) } else { fallthrough }
    default:
      let mark = try mark(sign)
      advance()
      try add(mark, text: String(sign), at: place)
    }
  }

  /// The time that begins here: a word for itself, between spaces.
  private func time() -> String? {
    if index > 0, !text[index - 1].isWhitespace { return nil }
    // The longest word that can be one, so that no line is read again and again.
    let word = text[index...].prefix(40).prefix { !$0.isWhitespace }
    return MarbleTime.isTime(String(word)) ? String(word) : nil
  }

  private mutating func pass(_ time: String) throws(MarbleError) {
    if group != nil { throw error(.misplacedTime(time)) }
    guard let frames = MarbleTime.frames(of: time, frame: length),
      frame <= MarbleTime.mostFrames - frames
    else { throw error(.unfitTime(time, frame: length)) }
    frame += frames
    for _ in time { advance() }
  }

  private func mark(_ sign: Character) throws(MarbleError) -> MarbleEvent.Mark {
    let isSignals = kind == .signals || kind == .source
    switch sign {
    case "|" where isSignals: return .finished
    case "#" where isSignals: return .failure
    case "*" where kind == .demand: return .unlimited
    case "!" where kind == .subscriptions: return .cancel
    case "^" where kind == .subscriptions: return .subscription
    case "^" where kind == .source && !events.contains { $0.mark == .subscription }:
      return .subscription
    case "|", "#", "*", "!", "^": throw error(.misplaced(sign))
    default: return .value(String(sign))
    }
  }

  private mutating func add(
    _ mark: MarbleEvent.Mark, text: String, at place: (line: Int, column: Int)
  ) throws(MarbleError) {
    let event = MarbleEvent(frame: frame, mark: mark, line: place.line, column: place.column)
    if isEnded && mark != .subscription { throw event.error(.afterEnd(text)) }
    if case .value(let symbol) = mark {
      if kind == .demand && !Self.isCount(symbol) { throw event.error(.noDemand(symbol)) }
      if kind == .subscriptions { throw event.error(.noSubscription(symbol)) }
    }
    events.append(event)
    isEnded = isEnded || mark == .finished || mark == .failure
    if group == nil { frame += 1 }
  }

  private static func isCount(_ symbol: String) -> Bool {
    symbol.utf8.allSatisfy { (0x30...0x39).contains($0) } && Int64(symbol) != nil
  }

  private mutating func quoted() throws(MarbleError) -> String {
    let open = error(.openQuote)
    var value = ""
    advance()
    while index < text.count {
      switch text[index] {
      case "\"":
        advance()
        return value
      case "\\":
        value.unicodeScalars.append(try escaped())
      default:
        value.append(text[index])
        advance()
      }
    }
    throw open
  }

  private mutating func escaped() throws(MarbleError) -> Unicode.Scalar {
    let start = error(.unknownEscape("\\"))
    advance()
    guard index < text.count else { throw start }
    let sign = text[index]
    let unknown = MarbleError(
      problem: .unknownEscape("\\\(sign)"), line: start.line, column: start.column)
    advance()
    switch sign {
    case "\\", "\"": return sign == "\\" ? "\\" : "\""
    case "n": return "\n"
    case "t": return "\t"
    case "r": return "\r"
    case "u":
      let digits = text[index...].dropFirst().prefix { $0.isHexDigit }
      guard index < text.count, text[index] == "{", digits.endIndex < text.count,
        text[digits.endIndex] == "}", let code = UInt32(String(digits), radix: 16),
        let scalar = Unicode.Scalar(code)
      else { throw unknown }
      for _ in 0..<digits.count + 2 { advance() }
      return scalar
    default: throw unknown
    }
  }

  private mutating func advance() {
    if text[index].isNewline {
      line += 1
      column = 1
    } else {
      column += 1
    }
    index += 1
  }

  private func error(_ problem: MarbleError.Problem) -> MarbleError {
    MarbleError(problem: problem, line: line, column: column)
  }
}
