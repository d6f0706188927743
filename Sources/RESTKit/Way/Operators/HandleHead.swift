import Streams

extension Publisher where Failure == any Error {
  /// Calls a closure with the head of each response that the upstream pipeline receives, before the
  /// response's values.
  ///
  /// It is for what stands beside the values of a body, such as the id of a session:
  ///
  /// ```swift
  /// api.serverSentEvents(.post, endpoint: "mcp", body: .json(initialize))
  ///   .handleHead { head in session.begin(head.headers["Mcp-Session-Id"]) }
  /// ```
  ///
  /// The pipeline may have any outputs: lines, values of JSON lines, events, a decoded response.
  /// The closure runs once for each response that the call accepts, also for each connection of a
  /// live stream and each attempt of a retry, with any status. It does not see redirects, a
  /// response whose token the session renews, and the response to a request that goes on at a byte
  /// if it is not the part that was asked for. Of several closures, the one nearest to the verb
  /// runs first.
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure; the closure's, which ends the exchange.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: The closure runs on the thread that delivers the response.
  ///
  /// - Parameter handle: A closure that receives the head. It may throw to refuse the response.
  public func handleHead(
    _ handle: @escaping @Sendable (ResponseHead) throws -> Void
  ) -> AnyPublisher<Output, any Error> where Output: Sendable {
    options { $0.handleHead(handle) }
  }
}

/// A stage that shows the head of each response to a closure.
struct HandledHeads<Output: Sendable>: Publishers.Stage {
  /// Returns the response that an output is, or whose head it is; nil for another output.
  let response: @Sendable (Output) -> RESTResponse?
  let handle: HeadHandler

  func receive(_ output: Output) throws(any Error) -> Publishers.StageStep<Output> {
    if let response = response(output) { try handle(response.head) }
    return .pass(output)
  }
}
