/// The events of one call, in order.
///
/// The log has a maximum size. If there are more than 256 events, it keeps the first 64 and the
/// last 192. One event of kind ``CallEvent/Kind/omitted(events:requests:)`` stands for the others.
///
/// Its text never contains a header's value, a query, a token or a body.
public struct CallLog: Sendable {
  /// The number of the call among the observed calls of its transport, from 1, or 0 if the
  /// transport is not observed.
  public let number: Int
  /// The start of the call, on the clock of the observed transport.
  ///
  /// Without an observed transport, it is on the clock that timed the call.
  public let start: Duration
  /// The events.
  ///
  /// They are made again each time the property is read.
  public var events: [CallEvent] { memory.history.events(inCall: number) }
  // A single reference keeps errors small, since an error carries a log.
  private let memory: Memory
  /// The class of the last failure, for programs: see ``attributes``.
  let failure: String?

  /// The time until the last event.
  public var duration: Duration { memory.history.duration }

  init(number: Int, start: Duration, history: CallHistory, failure: String?) {
    self.number = number
    self.start = start
    memory = Memory(history)
    self.failure = failure
  }

  private final class Memory: Sendable {
    let history: CallHistory

    init(_ history: CallHistory) {
      self.history = history
    }
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
