import Streams

/// A request's place in the queue of a rate limiter.
final class RateLimitWait: Subscription {
  private struct State: Sendable {
    var pass: Int?
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

  /// The number of the pass; 0 before the turn.
  var pass: Int { state.withLock { $0.pass } ?? 0 }

  /// - Parameter end: A closure that runs once, when the turn comes.
  func begin(_ end: @escaping @Sendable () -> Void) {
    let isOver = state.withLock { state in
      if state.pass == nil, !state.isOver { state.end = end }
      return state.pass != nil && !state.isOver
    }
    if isOver { end() }
  }

  func end(with pass: Int) {
    let end = state.withLock { state in
      state.pass = pass
      return state.end.take()
    }
    end?()
  }

  /// Does nothing: there are no values.
  func request(_ demand: Subscribers.Demand) {}

  func cancel() {
    let released = state.withLock { state in
      state.isOver = true
      return state.end.take()
    }
    withExtendedLifetime(released) {}
    limiter.leave(place)
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
