import Streams

extension Marbles {
  /// Creates a source that plays a diagram.
  ///
  /// With a `^` in the diagram, the source is hot: it plays with the test, and `^` is the frame in
  /// which the test begins. Otherwise it is cold: each subscription plays it from the start.
  ///
  /// - Parameters:
  ///   - diagram: The diagram to play.
  ///   - values: A closure that returns the value for a symbol, or nil if there is none.
  ///   - failure: The failure for `#`.
  /// - Throws: A ``MarbleError`` with the problem and its place.
  public func publisher<Value: Sendable, Failure: Error>(
    _ diagram: String, values: (String) -> Value?, failure: Failure
  ) throws(MarbleError) -> MarblePublisher<Value, Failure> {
    try publisher(
      MarbleDiagram(diagram, kind: .source, frame: frame), values: values, failure: failure)
  }

  /// Creates a source that plays a diagram and never fails.
  public func publisher<Value: Sendable>(
    _ diagram: String, values: (String) -> Value?
  ) throws(MarbleError) -> MarblePublisher<Value, Never> {
    try publisher(MarbleDiagram(diagram, kind: .source, frame: frame), values: values, failure: nil)
  }

  /// Creates a source that plays a diagram, with the values of a legend.
  public func publisher<Value: Sendable, Failure: Error>(
    _ diagram: String, values: [String: Value], failure: Failure
  ) throws(MarbleError) -> MarblePublisher<Value, Failure> {
    try publisher(diagram, values: { values[$0] }, failure: failure)
  }

  /// Creates a source that plays a diagram, with the values of a legend, and never fails.
  public func publisher<Value: Sendable>(
    _ diagram: String, values: [String: Value]
  ) throws(MarbleError) -> MarblePublisher<Value, Never> {
    try publisher(diagram, values: { values[$0] })
  }

  /// Creates a source of the characters and quoted texts of a diagram.
  public func publisher<Failure: Error>(
    _ diagram: String, failure: Failure
  ) throws(MarbleError) -> MarblePublisher<String, Failure> {
    try publisher(diagram, values: { $0 }, failure: failure)
  }

  /// Creates a source of the characters and quoted texts of a diagram, which never fails.
  public func publisher(
    _ diagram: String
  ) throws(MarbleError) -> MarblePublisher<String, Never> {
    try publisher(diagram, values: { $0 })
  }

  /// Creates a source that plays a parsed diagram, such as a line of a ``MarbleChart``.
  ///
  /// - Parameters:
  ///   - diagram: The line to play.
  ///   - values: A closure that returns the value for a symbol, or nil if there is none.
  ///   - failure: The failure for `#`. If nil, the diagram must have no `#`.
  public func publisher<Value: Sendable, Failure: Error>(
    _ diagram: MarbleDiagram, values: (String) -> Value?, failure: Failure?
  ) throws(MarbleError) -> MarblePublisher<Value, Failure> {
    let start = diagram.events.first { $0.mark == .subscription }?.frame
    var steps: [MarblePublisher<Value, Failure>.Step] = []
    var lastFrame: Int?
    for event in diagram.events {
      guard let signal = try signal(of: event, values: values, failure: failure) else { continue }
      if lastFrame == event.frame {
        steps[steps.count - 1].signals.append(signal)
      } else {
        steps.append((frame * event.frame, [signal]))
        lastFrame = event.frame
      }
    }
    let publisher = MarblePublisher(
      scheduler: scheduler, journal: newJournal(), steps: steps, isHot: start != nil)
    if let start { add(hotSource: { publisher.start(after: $0) }, prelude: start) }
    return publisher
  }

  private func signal<Value: Sendable, Failure: Error>(
    of event: MarbleEvent, values: (String) -> Value?, failure: Failure?
  ) throws(MarbleError) -> Signal<Value, Failure>? {
    switch event.mark {
    case .value(let symbol):
      guard let value = values(symbol) else { throw event.error(.unknownValue(symbol)) }
      return .value(value)
    case .finished:
      return .completion(.finished)
    case .failure:
      guard let failure else { throw event.error(.missingFailure) }
      return .completion(.failure(failure))
    case .subscription, .cancel, .unlimited:
      return nil
    }
  }
}
