extension Publisher {
  /// The one value of this publisher.
  ///
  /// It subscribes, waits for the end, and returns the value. Cancelling the task cancels the
  /// subscription.
  ///
  /// - Throws: The publisher's failure; ``SingleValueError`` where there is no value or a second
  ///   one; `CancellationError` where the task is cancelled.
  public var value: Output {
    get async throws {
      let wait = SingleValueWait<Output, Failure>()
      return try await withTaskCancellationHandler {
        try await withCheckedThrowingContinuation { continuation in
          if wait.begin(continuation) { receive(subscriber: wait) }
        }
      } onCancel: {
        wait.cancel()
      }
    }
  }
}

/// Why an awaited publisher gave no single value.
public enum SingleValueError: Error, Sendable, Equatable, CustomStringConvertible {
  case noValue
  case moreThanOneValue

  public var description: String {
    switch self {
    case .noValue:
      "The publisher finished without a value: `value` waits for exactly one."
    case .moreThanOneValue:
      "The publisher gave a second value: `value` takes exactly one; use `values` for more."
    }
  }
}

/// Takes the one value and resumes the task that waits for it, exactly once.
private final class SingleValueWait<Input: Sendable, Failure: Error>: Subscriber, Cancellable {
  typealias Continuation = CheckedContinuation<Input, any Error>

  private struct State: Sendable {
    var continuation: Continuation?
    var isCancelled = false
    var value: Input?
  }

  private let gate = UpstreamGate()
  private let state = Lock(State())

  /// Whether to subscribe: not if the task was cancelled already.
  func begin(_ continuation: Continuation) -> Bool {
    let isCancelled = state.withLock { state in
      if !state.isCancelled { state.continuation = continuation }
      return state.isCancelled
    }
    if isCancelled { continuation.resume(throwing: CancellationError()) }
    return !isCancelled
  }

  func receive(subscription: any Subscription) {
    if gate.admit(subscription, for: Self.self) { subscription.request(.max(2)) }
  }

  func receive(_ input: Input) -> Subscribers.Demand {
    guard gate.isOpen else {
      gate.reportStrayValue(for: Self.self)
      return .none
    }
    let isSecond = state.withLock { state in
      guard state.value == nil else { return true }
      state.value = input
      return false
    }
    if isSecond, gate.abort() { resume(throwing: SingleValueError.moreThanOneValue) }
    return .none
  }

  func receive(completion: Subscribers.Completion<Failure>) {
    guard gate.finish(for: Self.self) else { return }
    switch completion {
    case .failure(let error):
      resume(throwing: error)
    case .finished:
      let (continuation, value) = state.withLock { ($0.continuation.take(), $0.value.take()) }
      if let value {
        continuation?.resume(returning: value)
      } else {
        continuation?.resume(throwing: SingleValueError.noValue)
      }
    }
  }

  func cancel() {
    state.withLock { $0.isCancelled = true }
    gate.cancel()
    resume(throwing: CancellationError())
  }

  private func resume(throwing error: any Error) {
    let (continuation, released) = state.withLock { ($0.continuation.take(), $0.value.take()) }
    withExtendedLifetime(released) {}
    continuation?.resume(throwing: error)
  }
}
