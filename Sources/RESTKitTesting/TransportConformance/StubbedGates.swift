import Streams

/// The gates of a trial's servers, in the time of scripts.
///
/// The wait for a gate is a time that no script has, and it passes when the gate opens. All other
/// times are real ones.
final class StubbedGates: Scheduler {
  private let gates = Lock<[MockGate]>([])
  private let clock = ClockScheduler.continuous

  var now: Duration { clock.now }

  /// Returns the wait for a gate.
  func wait(for gate: MockGate) -> Duration {
    let number = gates.withLock { gates in
      gates.append(gate)
      return gates.count
    }
    return Duration(secondsComponent: 0, attosecondsComponent: Int64(number))
  }

  /// Returns the gate that a wait is for; nil for a wait in real time.
  func gate(of wait: Duration) -> MockGate? {
    guard wait < .nanoseconds(1) else { return nil }
    let number = Int(clamping: wait.components.attoseconds)
    return gates.withLock { $0.indices.contains(number - 1) ? $0[number - 1] : nil }
  }

  func schedule(_ action: @escaping @Sendable () -> Void) { clock.schedule(action) }

  func schedule(
    after delay: Duration, _ action: @escaping @Sendable () -> Void
  ) -> any Cancellable {
    guard let gate = gate(of: delay) else { return clock.schedule(after: delay, action) }
    gate.whenOpen(action)
    return AnyCancellable {}
  }
}
