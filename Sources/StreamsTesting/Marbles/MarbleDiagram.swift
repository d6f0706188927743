/// One line of marble notation: what happens, frame by frame.
///
/// `-` is a frame in which nothing happens; any other sign is a frame with that event, and `( )`
/// holds what happens in one frame. Spaces mean nothing, so that lines can be aligned. Which signs
/// mean something depends on the ``Kind``.
public struct MarbleDiagram: Sendable, Hashable {
  /// What a line tells of.
  public enum Kind: Sendable, Hashable, CaseIterable {
    /// Signals: characters and quoted texts are values, `|` is the end and `#` a failure.
    case signals
    /// Signals of a source: with a `^` in the frame in which the test begins, a hot one, which plays
    /// whoever listens; without it a cold one, which plays for each subscriber from the start.
    case source
    /// Demand: digits and quoted numbers are asked for in their frame, `*` is everything.
    case demand
    /// Subscriptions: `^` is where one begins and `!` where it is cancelled.
    case subscriptions
  }

  /// What the line tells of.
  public var kind: Kind
  /// What happens, in order.
  public var events: [MarbleEvent]
  /// How long the line is, in frames.
  public var frameCount: Int

  /// Reads a line.
  ///
  /// - Throws: What is wrong with the text, and where.
  public init(_ text: String, kind: Kind = .signals) throws(MarbleError) {
    var parser = MarbleParser(text, kind: kind)
    try parser.parse()
    self.init(kind: kind, events: parser.events, frameCount: parser.frame)
  }

  /// Makes a line of events, which are in the order of their frames.
  ///
  /// - Parameters:
  ///   - kind: What the line tells of.
  ///   - events: What happens on it.
  ///   - frameCount: How long the line is, if it goes on after the last event.
  public init(kind: Kind = .signals, events: [MarbleEvent], frameCount: Int = 0) {
    self.kind = kind
    self.events = events
    self.frameCount = max(frameCount, (events.last?.frame ?? -1) + 1)
  }

  /// Whether the same happens in the same frames, whatever time passes afterwards.
  public func agrees(with other: MarbleDiagram) -> Bool {
    events == other.events
  }
}
