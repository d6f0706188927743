import Foundation
import HTTPWire

/// An HTTP engine: it makes one attempt of one request, with callbacks.
///
/// A transport is built on it.
///
/// An engine follows no redirect, answers no challenge, keeps no cookie and caches nothing. It
/// delivers the whole decoded response, or one `TransportError`. If the head of a collected
/// response has arrived and its body cannot be read, it delivers the head with the fault.
protocol HTTPEngine: AnyObject, Sendable {
  /// Starts a request and returns at once.
  ///
  /// The completion is called exactly once, on a thread of the engine and with no lock held, unless
  /// the call is cancelled first; see `EngineCall.cancel()`. The events of `EngineRequest.events`
  /// come before the completion, which may then run on the thread that requests the last of them.
  /// Both may start further requests. Both may block: no other call of the engine waits for them,
  /// as long as fewer block than the engine has threads for. A request that `RequestValidation`
  /// refuses also completes on a thread of the engine, never inside `start`. After a shutdown,
  /// another thread may complete it.
  func start(
    _ request: EngineRequest,
    completion: @escaping @Sendable (Result<EngineResponse, TransportError>) -> Void
  ) -> EngineCall

  /// Whether a publisher's chunks can be sent as they arrive.
  ///
  /// Otherwise the body must first be collected in a file.
  var sendsBodiesAsTheyCome: Bool { get }

  /// Shuts the engine down and returns at once.
  ///
  /// Running calls and calls that start later complete with `.engineUnavailable`. `whenStopped` is
  /// called when every connection of the engine is closed and all calls are completed, except those
  /// of two kinds. A call with a busy subscriber is completed on that subscriber's thread, when the
  /// subscriber returns. A call whose events wait for demand is completed behind them. Releasing
  /// the last reference to an engine has the same effect.
  func shutdown(whenStopped: @escaping @Sendable () -> Void)
}

/// An event of a call that is delivered in pieces.
enum EngineEvent: Sendable {
  /// The total number of body bytes handed to the network so far.
  case sent(Int64)
  /// The head of the final response. Heads of 1xx responses are dropped.
  case head(EngineHead)
  /// The next decoded bytes of the body; never empty.
  case chunk(Data)
}

/// What an engine does after it has added an event to a buffer.
enum EngineFlow: Sendable {
  case more
  /// It adds only what is already under way, until the buffer resumes it.
  case pause
  /// It fails the call, since it cannot pause.
  case stop
}

// The faults that all engines report with the same words.
extension TransportError {
  /// The fault of a call whose time limit passes before an engine begins it.
  static let overBeforeBegun = beforeSending(.timedOut, "before the call began")

  /// The fault of a call that an engine would repeat by itself, but must not.
  static let mustNotRunTwice = afterSending(
    .connectionClosedBeforeResponse,
    "the kept-alive connection ended, and the request must not run twice")

  /// The fault of a call that was not sent before its engine was shut down.
  static let engineClosed = unavailable("the engine was shut down")
}

extension TransportError.Kind {
  /// Whether such a fault ends a call before its request could be sent.
  var isBeforeSending: Bool {
    switch self {
    case .hostNotFound, .connectionRefused, .connectFailed, .tlsFailed, .unsupportedURL: true
    default: false
    }
  }
}
