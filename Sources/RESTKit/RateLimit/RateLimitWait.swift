import Streams

/// A request's place in the queue of a rate limiter.
final class RateLimitWait: Subscription {
  private struct State: Sendable {
    var pass: Int?
    /// Whether the place was given up, or its pass was taken.
    var isOver = false
    var end: (@Sendable () -> Void)?
  }

  private let limiter: RateLimiter
  private let place: Int
  private let state = Lock(State())

  init(at place: Int, in limiter: RateLimiter) {
    self.place = place
    self.limiter = limiter
  }

  /// Takes the pass; nil if it was given up.
  func take() -> Int? {
    state.withLock { state in
      guard !state.isOver else { return nil }
      state.isOver = true
      return state.pass
    }
  }

  /// - Parameter end: A closure that runs once, when the turn comes.
  func begin(_ end: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.pass == nil, !state.isOver { state.end = end }
      return state.pass != nil && !state.isOver
    }
    if isOver { end() }
  }

  /// Ends the wait with a pass.
  ///
  /// - Returns: Whether the pass is of use; false if the place was given up.
  func end(with pass: Int) -> Bool {
    let (end, isOfUse) = state.withLock { state in
      if !state.isOver { state.pass = pass }
      return (state.end.take(), !state.isOver)
    }
    end?()
    return isOfUse
  }

  /// Does nothing: there are no values.
  func request(_ demand: Subscribers.Demand) {}

  func cancel() {
    let (released, unused) = state.withLock { state in
      defer { state.isOver = true }
      return (state.end.take(), state.isOver ? nil : state.pass)
    }
    withExtendedLifetime(released) {}
    if let unused { limiter.takeBack(unused) } else { limiter.leave(place) }
  }
}

/// A publisher that finishes at the request's turn, without a value.
struct RateLimitWaiting<Output: Sendable>: Publisher {
  typealias Failure = any Error

  let wait: RateLimitWait

  func receive(subscriber: some Subscriber<Output, Failure>) {
    subscriber.receive(subscription: wait)
    wait.begin { subscriber.receive(completion: .finished) }
  }
}
