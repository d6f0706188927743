import Streams

/// An object that decides when an exchange of a call may begin: a limit of requests per time.
///
/// It is behind a cache and shared exchanges, directly before the transport. Requests that they answer
/// do not reach the gate.
protocol ExchangeGate: AnyObject, Sendable {
  /// Returns the outputs of an exchange, which begins when it may.
  ///
  /// It is to be subscribed to once and at once.
  ///
  /// - Parameter send: A closure that begins the exchange. It receives the number of its pass, from 1.
  func outputs<Output: Sendable>(
    of request: GatedRequest,
    send: @escaping @Sendable (_ pass: Int) -> AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error>

  /// Records the head of the response to the request with a pass.
  func note(_ head: ResponseHead, answering pass: Int)
}

/// The facts that a gate needs about a request.
struct GatedRequest: Sendable {
  let summary: RequestSummary
  /// The deadline of the call; nil for none.
  let deadline: CallDeadline?
  let journal: CallJournal?
}

/// The gate of a call, for one origin.
struct CallGate: Sendable {
  let gate: any ExchangeGate
  /// The gate's origin.
  ///
  /// A redirect to another origin bypasses the gate.
  let origin: Origin?
  var deadline: CallDeadline?
}
