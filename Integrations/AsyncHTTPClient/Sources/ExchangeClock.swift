import NIOCore
import Synchronization

/// A clock that ends an exchange when the time for the whole exchange, or for one wait, is over.
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
  ///   - seconds: The time. There is no limit if the number is not positive, not finite, or more
  ///     than about a hundred years.
  ///   - isOfEachWait: Whether the time is for each wait. If not, it is for the whole exchange.
  init(seconds: Double, isOfEachWait: Bool, on eventLoop: any EventLoop) {
    self.eventLoop = eventLoop
    self.isOfEachWait = isOfEachWait
    let isLimit = seconds.isFinite && seconds > 0 && seconds < 3.2e9
    time = isLimit ? .nanoseconds(max(Int64(seconds * 1e9), 1_000_000)) : nil
  }

  /// Whether the time was over before the exchange ended.
  var isOver: Bool { state.withLock { $0.isOver } }

  /// Starts the clock.
  ///
  /// - Parameter end: A closure that ends the exchange. It runs on the event loop when the time is
  ///   over.
  func start(_ end: @escaping @Sendable () -> Void) {
    state.withLock { $0.end = end }
    if !isOfEachWait { schedule() }
  }

  /// Starts a new wait.
  func wait() {
    if isOfEachWait { schedule() }
  }

  /// Pauses the clock while nothing waits for the server.
  func pause() {
    if isOfEachWait { state.withLock { $0.alarm.take() }?.cancel() }
  }

  /// Notes the response, after which the upload of the request's body no longer affects the clock.
  func noteResponse() {
    state.withLock { $0.isAnswered = true }
    pause()
  }

  /// Starts a new wait or pauses, at each step of the request's body, as long as there is no
  /// response.
  func noteUpload(isWaitingForServer: Bool) {
    guard !state.withLock({ $0.isAnswered }) else { return }
    if isWaitingForServer { wait() } else { pause() }
  }

  /// Stops the clock for good.
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
      // After the end, nothing is measured any more.
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
