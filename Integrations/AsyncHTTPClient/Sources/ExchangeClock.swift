import NIOCore
import Synchronization

/// The time that an exchange has, for the whole or for each wait, and what ends it then.
final class ExchangeClock: Sendable {
  private struct State {
    var alarm: Scheduled<Void>?
    var end: (@Sendable () -> Void)?
    var isOver = false
    var isAnswered = false
  }

  private let eventLoop: any EventLoop
  private let time: TimeAmount?
  private let isOfEachWait: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - seconds: The time; none where it is not positive or not finite, or past a thousand years.
  ///   - isOfEachWait: Whether each wait has that time, or all of them together.
  init(seconds: Double, isOfEachWait: Bool, on eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
    self.isOfEachWait = isOfEachWait
    let isLimit = seconds.isFinite && seconds > 0 && seconds < 3.2e9
    time = isLimit ? .nanoseconds(max(Int64(seconds * 1e9), 1_000_000)) : nil
  }

  /// Whether the time was over before the exchange.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Begins to count.
  ///
  /// - Parameter end: Ends the exchange; called on the event loop when the time is over.
  func start(_ end: @escaping @Sendable () -> Void) {
    state.withLock { $0.end = end }
    if !isOfEachWait { schedule() }
  }

  /// Counts anew: a wait begins, or what was waited for goes on.
  func wait() {
    if isOfEachWait { schedule() }
  }

  /// Nobody waits for the server.
  func pause() {
    if isOfEachWait { state.withLock { $0.alarm.take() }?.cancel() }
  }

  /// Nobody waits for the answer any more; what is left of the request's body takes its own time.
  func noteAnswer() {
    state.withLock { $0.isAnswered = true }
    pause()
  }

  /// Counts anew, or not, with each step of the request's body, as long as there is no answer.
  func noteUpload(isWaitingForServer: Bool) {
    guard !state.withLock({ $0.isAnswered }) else { return }
    if isWaitingForServer { wait() } else { pause() }
  }

  /// Counts no more.
  func stop() {
    let (alarm, end) = state.withLock { ($0.alarm.take(), $0.end.take()) }
    alarm?.cancel()
    withExtendedLifetime(end) {}
  }

  private func schedule() {
    guard let time else { return }
    let alarm = eventLoop.scheduleTask(in: time) { [weak self] in
      self?.ring()
      return
    }
    let old = state.withLock { state -> Scheduled<Void>? in
      // After the end there is nothing to wait for.
      guard state.end != nil else { return alarm }
      defer { state.alarm = alarm }
      return state.alarm
    }
    old?.cancel()
  }

  private func ring() {
    let end = state.withLock { state in
      state.isOver = state.end != nil
      return state.end.take()
    }
    end?()
  }
}
