/// What a transport needs of an HTTP engine: one attempt of one request, by callback.
///
/// An engine follows no redirect, answers no challenge, keeps no cookie and caches nothing. It
/// delivers the whole response, decoded, or one `TransportError`.
protocol HTTPEngine: AnyObject, Sendable {
  /// Starts a request and returns at once.
  ///
  /// The completion is called exactly once, on a thread of the engine and with no lock held, unless
  /// the call is cancelled first; see `EngineCall.cancel()`. It may start further requests, and so
  /// may `EngineRequest.onEvent`, whose last event comes before it. Either may block for long, or for
  /// good: no other call of the engine waits for it. A request that is refused by
  /// `RequestValidation` completes on a thread of the engine too, never inside `start`.
  func start(
    _ request: EngineRequest,
    completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
  ) -> EngineCall

  /// Lets the pieces of a call go on that were paused by its `EngineRequest.onEvent`.
  ///
  /// From any thread; without effect on a call that is not paused, or has ended. An engine that
  /// cannot pause goes on all the time.
  func resume(_ call: EngineCall)

  /// Whether pieces wait where they are asked to; otherwise all that comes is kept, whoever asks.
  var canPause: Bool { get }

  /// Whether a body that a publisher gives can be sent as it comes; otherwise it has to be in a file
  /// before.
  var sendsBodiesAsTheyCome: Bool { get }

  /// Ends the engine: running calls complete with `.engineUnavailable`, and so do calls that are
  /// started later. Returns at once. `whenStopped` is called when every connection of the engine is
  /// gone and all are told; one whose subscriber is busy is told on that thread, when it returns. To let
  /// go of the last reference to an engine does the same.
  func shutdown(whenStopped: @escaping @Sendable () -> Void)
}

extension HTTPEngine {
  var canPause: Bool { true }
}
