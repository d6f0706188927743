import Streams

/// A call that was started: the right to its one ending.
///
/// Either the completion is called once, or `cancel()` came first and it is never called.
final class EngineCall: Sendable {
  typealias Completion = @Sendable (Result<EngineResponse, TransportError>) -> Void

  private struct State {
    // In a struct, where the lock can give it out without wrapping it.
    var completion: Completion?
  }

  /// The number of the engine that has it, where a transport has several.
  let engine: Int
  private let state: Lock<State>
  private let onCancel: @Sendable (EngineCall) -> Void

  init(
    engine: Int = 0, completion: @escaping Completion,
    onCancel: @escaping @Sendable (EngineCall) -> Void
  ) {
    self.engine = engine
    state = Lock(State(completion: completion))
    self.onCancel = onCancel
  }

  /// Ends the call from any thread, any number of times, without blocking.
  ///
  /// Returns true if this ended it: then the completion was not and will not be called, and a
  /// connection in use is closed as soon as the engine's thread gets to it. Returns false if the
  /// call had ended already, or its completion is being called just now.
  @discardableResult
  func cancel() -> Bool {
    guard take() != nil else { return false }
    onCancel(self)
    return true
  }

  /// Whether neither `cancel()` nor the engine has ended the call.
  var isPending: Bool { state.withLock { $0.completion != nil } }

  /// Ends the call with a result, unless it has ended.
  func complete(_ result: Result<EngineResponse, TransportError>) {
    take()?(result)
  }

  private func take() -> Completion? {
    state.withLock { $0.completion.take() }
  }
}
