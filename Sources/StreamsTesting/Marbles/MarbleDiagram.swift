/// One line of marble notation: the events of each frame.
///
/// `-` is a frame without an event. Any other sign is a frame with that event, and `( )` holds
/// several events of one frame. A time for itself between spaces, such as `2s`, `300ms` or
/// `1.5min`, is as many frames without an event as it lasts. Other spaces have no meaning, so that
/// lines can be aligned. The ``Kind`` decides which signs have a meaning.
public struct MarbleDiagram: Sendable, Hashable {
  /// The subject of a line.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// Signals.
    ///
    /// Characters and quoted texts are values, `|` is the end and `#` a failure.
    case signals
    /// Signals of a source.
    ///
    /// With a `^` in the frame in which the test begins, the source is hot: it plays with or
    /// without subscribers. Otherwise it is cold: it plays for each subscriber from the start.
    case source
    /// Demand.
    ///
    /// Digits and quoted numbers are requests in their frame, and `*` is a request for everything.
    case demand
    /// Subscriptions.
    ///
    /// `^` begins one, and `!` cancels it.
    case subscriptions
  }

  /// The subject of the line.
  public var kind: Kind
  /// The events, in order.
  public var events: [MarbleEvent]
  /// The length of the line, in frames.
  public var frameCount: Int
  /// The length of a frame, by which times in texts are counted.
  ///
  /// It does not count for equality.
  public var frame: Duration

  /// Reads a line.
  ///
  /// - Parameters:
  ///   - text: The line.
  ///   - kind: The subject of the line.
  ///   - frame: The length of a frame, by which times such as `2s` are counted.
  /// - Throws: A ``MarbleError`` with the problem and its place.
  public init(
    _ text: String, kind: Kind = .signals, frame: Duration = .milliseconds(10)
  ) throws(MarbleError) {
    var parser = MarbleParser(text, kind: kind, frame: frame)
    try parser.parse()
    self.init(kind: kind, events: parser.events, frameCount: parser.frame, frame: frame)
  }

  /// Creates a line from events, which are in the order of their frames.
  ///
  /// - Parameters:
  ///   - kind: The subject of the line.
  ///   - events: The events of the line.
  ///   - frameCount: The length of the line in frames, if it continues after the last event.
  ///   - frame: The length of a frame, by which long pauses are written as times.
  public init(
    kind: Kind = .signals, events: [MarbleEvent], frameCount: Int = 0,
    frame: Duration = .milliseconds(10)
  ) {
    self.frame = max(frame, .nanoseconds(1))
    self.kind = kind
    self.events = events
    self.frameCount = max(frameCount, (events.last?.frame ?? -1) + 1)
  }

  /// Returns whether two lines have the same events in the same frames, whatever time passes
  /// afterwards.
  public func agrees(with other: MarbleDiagram) -> Bool {
    events == other.events
  }

  public static func == (lhs: MarbleDiagram, rhs: MarbleDiagram) -> Bool {
    lhs.kind == rhs.kind && lhs.events == rhs.events && lhs.frameCount == rhs.frameCount
  }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(events)
    hasher.combine(frameCount)
  }
}

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
