/// What happened in one call, in order.
///
/// Its text never holds a header's value, a query, a token or a body.
public struct CallLog: Sendable {
  /// The number of the call among those that were observed on its transport, from 1; 0 where nobody
  /// observes.
  public internal(set) var number = 0
  /// When the call began, on the clock of the transport that is observed; without one, on that which
  /// timed it.
  public internal(set) var start: Duration = .zero
  public let events: [CallEvent]
  /// The class of the last failure, for programs: see ``attributes``.
  var failure: String?

  /// The time until the last event.
  public var duration: Duration { events.last?.time ?? .zero }

  init(number: Int = 0, start: Duration = .zero, events: [CallEvent], failure: String? = nil) {
    self.number = number
    self.start = start
    self.events = events
    self.failure = failure
  }
}

extension CallLog: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A line for each event, with the time since the call began.
  public var description: String {
    events.map { event in
      let time = event.time.shortText
      return String(repeating: " ", count: max(8 - time.count, 0)) + "\(time)  \(event)"
    }.joined(separator: "\n")
  }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, unlabeledChildren: events) }
}
