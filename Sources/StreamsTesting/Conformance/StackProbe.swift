import Streams

/// A subscriber that measures how far the stack grows, and stops if it keeps growing.
///
/// All its values must arrive on one thread.
final class StackProbe<Input: Sendable, Failure: Error>: Subscriber {
  /// The way in which the next value is requested.
  enum Mode: CaseIterable, Sendable {
    case everything, returned, requested
  }

  /// The limit for the growth of the stack, in bytes.
  ///
  /// Ten thousand values exceed it if each keeps as little as four bytes, which is less than any
  /// call does.
  static var limit: UInt { 40_000 }

  struct Record: Sendable {
    var values = 0
    var growth: UInt = 0
    var isOver = false
  }

  private struct State: Sendable {
    var record = Record()
    var origin: UInt?
    var subscription: (any Subscription)?
  }

  private let mode: Mode
  private let most: Int
  private let then: @Sendable (Int) -> Void
  private let state = Lock(State())

  /// - Parameters:
  ///   - most: The number of values after which it cancels.
  ///   - then: A closure that runs for each value.
  init(_ mode: Mode, most: Int, then: @escaping @Sendable (Int) -> Void = { _ in }) {
    self.mode = mode
    self.most = most
    self.then = then
  }

  var record: Record { state.withLock { $0.record } }

  func cancel() {
    let subscription = state.withLock { state in
      state.record.isOver = true
      return state.subscription
    }
    subscription?.cancel()
  }

  func receive(subscription: any Subscription) {
    state.withLock { $0.subscription = subscription }
    subscription.request(mode == .everything ? .unlimited : .max(1))
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    let position = ScenarioThread.stackPosition()
    let (number, isEnough, subscription) = state.withLock { state in
      let origin = state.origin ?? position
      state.origin = origin
      if origin > position { state.record.growth = max(state.record.growth, origin - position) }
      state.record.values += 1
      let isEnough = state.record.values >= most || state.record.growth > Self.limit
      return (state.record.values, isEnough, state.subscription)
    }
    if isEnough {
      cancel()
      return .none
    }
    then(number)
    switch mode {
    case .everything: return .none
    case .returned: return .max(1)
    case .requested:
      subscription?.request(.max(1))
      return .none
    }
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    state.withLock { $0.record.isOver = true }
  }
}
