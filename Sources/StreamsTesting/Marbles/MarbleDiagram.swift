/// One line of marble notation: the events of each frame.
///
/// `-` is a frame without an event. Any other sign is a frame with that event, and `( )` holds
/// several events of one frame. Spaces have no meaning, so that lines can be aligned. The ``Kind``
/// decides which signs have a meaning.
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

  /// Reads a line.
  ///
  /// - Throws: A ``MarbleError`` with the problem and its place.
  public init(_ text: String, kind: Kind = .signals) throws(MarbleError) {
    var parser = MarbleParser(text, kind: kind)
    try parser.parse()
    self.init(kind: kind, events: parser.events, frameCount: parser.frame)
  }

  /// Creates a line from events, which are in the order of their frames.
  ///
  /// - Parameters:
  ///   - kind: The subject of the line.
  ///   - events: The events of the line.
  ///   - frameCount: The length of the line in frames, if it continues after the last event.
  public init(kind: Kind = .signals, events: [MarbleEvent], frameCount: Int = 0) {
    self.kind = kind
    self.events = events
    self.frameCount = max(frameCount, (events.last?.frame ?? -1) + 1)
  }

  /// Returns whether two lines have the same events in the same frames, whatever time passes
  /// afterwards.
  public func agrees(with other: MarbleDiagram) -> Bool {
    events == other.events
  }
}
