import Streams

/// The reader of a stream, seen from the stage that measures the server's silence.
///
/// A source that finds the reader ahead sends nothing until the reader has taken its values. That
/// is no silence of the server.
final class ReadAheadHold: ReadAhead {
  private struct State: Sendable {
    /// The number of sources that wait for the reader.
    var waiting = 0
    /// The time at which the last of them went on.
    var end: Duration?
  }

  private let reader: any ReadAhead
  private let clock: any Scheduler
  private let state = Lock(State())

  /// - Parameter clock: The clock of the silence.
  init(of reader: any ReadAhead, clock: any Scheduler) {
    self.reader = reader
    self.clock = clock
  }

  /// Whether a source waits for the reader.
  var isOn: Bool { state.withLock { $0.waiting > 0 } }

  /// The time at which a source last went on after it had waited; nil if none has.
  var end: Duration? { state.withLock { $0.end } }

  func isAhead(whenTaken: @escaping @Sendable () -> Void) -> Bool {
    // The reader may have taken everything before its answer arrives here.
    state.withLock { $0.waiting += 1 }
    let isAhead = reader.isAhead { [self] in
      let now = clock.now
      state.withLock { state in
        state.waiting -= 1
        state.end = now
      }
      whenTaken()
    }
    if !isAhead { state.withLock { $0.waiting -= 1 } }
    return isAhead
  }
}
