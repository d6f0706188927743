import Streams

/// Decides when an exchange of a call may begin: a limit of requests per time.
///
/// It stands behind a cache and shared exchanges, right before the transport: what they answer does not
/// come to it.
protocol ExchangeGate: AnyObject, Sendable {
  /// The outputs of an exchange, begun once it may; to be subscribed at once, and once.
  ///
  /// - Parameter send: Begins the exchange; it is given the number of its pass, from 1.
  func outputs<Output: Sendable>(
    of request: GatedRequest,
    send: @escaping @Sendable (_ pass: Int) -> AnyPublisher<Output, any Error>
  ) -> AnyPublisher<Output, any Error>

  /// Notes what a server answered to the request that had a pass.
  func note(_ head: ResponseHead, answering pass: Int)
}

/// What a gate has to know of a request.
struct GatedRequest: Sendable {
  let summary: RequestSummary
  /// When its call ends; nil for never.
  let deadline: CallDeadline?
  let journal: CallJournal?
}

/// The gate of a call, for the origin that it was made for.
struct CallGate: Sendable {
  let gate: any ExchangeGate
  /// A redirect that leaves it does not come to the gate.
  let origin: Origin?
  var deadline: CallDeadline?
}
