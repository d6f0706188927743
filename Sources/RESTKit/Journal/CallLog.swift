/// What happened in one call, in order.
///
/// It does not grow with the call: of more than 256 events it keeps the first 64 and the last 192.
/// In the place of the others stands one of kind ``CallEvent/Kind/omitted(events:requests:)``.
///
/// Its text never holds a header's value, a query, a token or a body.
public struct CallLog: Sendable {
  /// The number of the call among those that were observed on its transport, from 1; 0 where nobody
  /// observes.
  public let number: Int
  /// When the call began, on the clock of the transport that is observed; without one, on that which
  /// timed it.
  public let start: Duration
  /// What happened, made anew each time that it is asked for.
  public var events: [CallEvent] { memory.history.events(inCall: number) }
  // One reference: an error carries a log.
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
