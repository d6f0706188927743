/// An HTTP engine: it makes one attempt of one request, with callbacks.
///
/// A transport is built on it.
///
/// An engine follows no redirect, answers no challenge, keeps no cookie and caches nothing. It delivers the
/// whole decoded response, or one `TransportError`.
protocol HTTPEngine: AnyObject, Sendable {
  /// Starts a request and returns at once.
  ///
  /// The completion is called exactly once, on a thread of the engine and with no lock held, unless the call
  /// is cancelled first; see `EngineCall.cancel()`. The last event of `EngineRequest.onEvent` comes before
  /// the completion. Both may start further requests. Both may block: no other call of the engine waits for
  /// them, as long as fewer block than the engine has threads for. A request that `RequestValidation` refuses
  /// also completes on a thread of the engine, never inside `start`.
  func start(
    _ request: EngineRequest,
    completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
  ) -> EngineCall

  /// Resumes a call whose `EngineRequest.onEvent` paused it.
  ///
  /// It may be called on any thread. It has no effect on a call that is not paused or has ended. An engine
  /// that cannot pause ignores it.
  func resume(_ call: EngineCall)

  /// Whether the engine holds back pieces on request.
  ///
  /// Otherwise all received pieces are kept in memory, regardless of demand.
  var canPause: Bool { get }

  /// Whether a publisher's chunks can be sent as they arrive.
  ///
  /// Otherwise the body must first be collected in a file.
  var sendsBodiesAsTheyCome: Bool { get }

  /// Shuts the engine down and returns at once.
  ///
  /// Running calls and calls that start later complete with `.engineUnavailable`. `whenStopped` is called
  /// when every connection of the engine is closed and all calls are completed. A call with a busy
  /// subscriber is completed on that subscriber's thread, when the subscriber returns. Releasing the last
  /// reference to an engine has the same effect.
  func shutdown(whenStopped: @escaping @Sendable () -> Void)
}

extension HTTPEngine {
  var canPause: Bool { true }
}
