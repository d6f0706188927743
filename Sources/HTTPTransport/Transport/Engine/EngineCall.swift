import HTTPWire
import Streams
import Synchronization

/// A started call, which ends exactly once.
///
/// Either the completion is called once, or `cancel()` came first and the completion is never
/// called.
final class EngineCall: Sendable {
  typealias Completion = @Sendable (Result<EngineResponse, TransportError>) -> Void

  private struct State {
    // It is in a struct, so that the lock can return it without a wrapper.
    var completion: Completion?
  }

  private let state: Lock<State>
  private let onCancel: @Sendable (EngineCall) -> Void
  /// The number of the engine's loop that has the call, if it has several.
  ///
  /// Relaxed: a command that reaches the former loop is passed on.
  let loop = Atomic(0)

  init(completion: @escaping Completion, onCancel: @escaping @Sendable (EngineCall) -> Void) {
    state = Lock(State(completion: completion))
    self.onCancel = onCancel
  }

  /// Ends the call.
  ///
  /// It may be called on any thread and any number of times, and does not block. The events of a
  /// call in pieces stop when its `EventBuffer` is closed.
  ///
  /// It returns true if this call of the method ended the call. The completion was not and will not
  /// be called then, and the engine's thread closes a connection in use. It returns false if the
  /// call had already ended, or if its completion is being called.
  @discardableResult
  func cancel() -> Bool {
    guard take() != nil else { return false }
    onCancel(self)
    return true
  }

  /// Whether neither `cancel()` nor the engine has ended the call.
  var isPending: Bool { state.withLock { $0.completion != nil } }

  /// Ends the call with a result, unless it has already ended.
  func complete(_ result: Result<EngineResponse, TransportError>) {
    take()?(result)
  }

  private func take() -> Completion? {
    state.withLock { $0.completion.take() }
  }
}
