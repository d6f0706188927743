import Foundation
import Streams

/// A call's place in a line, as a subscription.
///
/// The line ends the wait with a pass, which the call takes once, or with a failure. A cancel gives
/// up the place, or a pass that was not taken.
final class CallWait<Pass: Sendable>: Subscription {
  typealias Outcome = Result<Pass, any Error>
  typealias End = @Sendable (Subscribers.Completion<any Error>) -> Void

  private struct State: Sendable {
    var outcome: Outcome?
    /// Whether the place was given up, or its pass was taken.
    var isOver = false
    var end: End?
  }

  private let enter: @Sendable (CallWait) -> Void
  private let leave: @Sendable (Pass?) -> Void
  private let state = Lock(State())

  /// - Parameters:
  ///   - enter: A closure that puts the wait in line when it begins, unless it is there from the
  ///     start.
  ///   - leave: A closure that takes back a pass, or with nil a place.
  init(
    enter: @escaping @Sendable (CallWait) -> Void = { _ in },
    leave: @escaping @Sendable (Pass?) -> Void
  ) {
    self.enter = enter
    self.leave = leave
  }

  /// Returns a publisher that completes when the wait ends, without a value.
  func publisher<Output: Sendable>() -> AnyPublisher<Output, any Error> {
    Ending(wait: self).eraseToAnyPublisher()
  }

  /// Takes the pass; nil if there is none, or if it was given up.
  func take() -> Pass? {
    let outcome = state.withLock { state in
      if state.outcome != nil { state.isOver = true }
      return state.outcome.take()
    }
    return try? outcome?.get()
  }

  /// - Parameter end: A closure that runs once, when the wait ends without a cancel.
  func begin(_ end: @escaping End) {
    let (isOver, outcome) = state.withLock { state in
      if state.outcome == nil, !state.isOver { state.end = end }
      return (state.isOver, state.outcome)
    }
    if let outcome { return end(Self.completion(of: outcome)) }
    guard !isOver else { return }
    enter(self)
    // A cancel may have come before the call was in line.
    if state.withLock({ $0.isOver }) { leave(nil) }
  }

  /// Ends the wait.
  ///
  /// - Returns: Whether the outcome is of use; false if the place was given up.
  @discardableResult
  func end(with outcome: Outcome) -> Bool {
    let (end, isOfUse) = state.withLock { state in
      if !state.isOver { state.outcome = outcome }
      return (state.end.take(), !state.isOver)
    }
    end?(Self.completion(of: outcome))
    return isOfUse
  }

  /// Does nothing: there are no values.
  func request(_ demand: Subscribers.Demand) {}

  func cancel() {
    let (wasOver, released, unused) = state.withLock { state in
      defer { state.isOver = true }
      return (state.isOver, state.end.take(), state.outcome.take())
    }
    withExtendedLifetime(released) {}
    if !wasOver { leave(try? unused?.get()) }
  }

  private static func completion(of outcome: Outcome) -> Subscribers.Completion<any Error> {
    switch outcome {
    case .success: .finished
    case .failure(let error): .failure(error)
    }
  }

  private struct Ending<Output: Sendable>: Publisher {
    typealias Failure = any Error

    let wait: CallWait

    func receive(subscriber: some Subscriber<Output, Failure>) {
      subscriber.receive(subscription: wait)
      wait.begin { subscriber.receive(completion: $0) }
    }
  }
}

extension Duration {
  /// The wait that a user's closure has read, within the limits of a `Retry-After`.
  var asRetryAfter: Duration { min(max(self, .zero), .seconds(RetryAfter.longest)) }
}

extension RESTError {
  /// The wait that a closure reads from the response that the error is about; nil if there is none.
  func wait(readBy read: (RESTResponse) -> Duration?) -> Duration? {
    guard let head = response else { return nil }
    let summary = request ?? RequestSummary(method: .get, url: head.url)
    return read(RESTResponse(head: head, data: body ?? Data(), request: summary))?.asRetryAfter
  }
}
