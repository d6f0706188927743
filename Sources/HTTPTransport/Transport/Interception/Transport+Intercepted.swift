import Streams

extension Transport {
  /// Returns a transport that runs a step of one's own before each exchange of this one.
  ///
  /// The step gets each request as it leaves: with the token of that moment, and after every wait
  /// for a turn or a token. Each attempt, each redirect and each connection of a live stream is an
  /// exchange of its own, whether it arrives whole or in pieces. A response from an `HTTPCache` is
  /// none.
  ///
  /// ```swift
  /// let signed = transport.intercepted { exchange in
  ///   let token = exchange.request.value(forHTTPHeaderField: "Authorization")
  ///   let signature = try key.signature(of: token, exchange.bodyData)
  ///   exchange.request.setValue(signature, forHTTPHeaderField: "Signature")
  /// }
  /// ```
  ///
  /// The step that is applied first is the nearest to the server: it sees the request last, and the
  /// response first. So apply a signature first.
  ///
  /// A redirect to another origin comes without the token. A step that adds a secret must check
  /// where the request goes.
  ///
  /// - Demand: The step runs with the subscription. The demand is passed on to this transport.
  /// - Errors: What the step throws, unchanged. A ``TransportError``, for a fault of the network,
  ///   becomes a ``RESTError`` that names the request, and a retry treats it like one of the
  ///   network: with `mayHaveBeenProcessed: false` it may repeat a POST, too. Nothing was sent in
  ///   either case.
  /// - Cancellation: Cancels the exchange.
  /// - Delivery: The step runs on the subscribing thread. Its failure and its response arrive
  ///   there.
  ///
  /// - Parameter step: A closure that changes, answers or watches an exchange before it begins.
  public func intercepted(by step: @escaping InterceptedTransport.Step) -> InterceptedTransport {
    InterceptedTransport(self, step)
  }

  /// Returns a transport that runs a step that may wait before each exchange of this one.
  ///
  /// As ``intercepted(by:)-(InterceptedTransport.Step)``, in a task of the exchange.
  ///
  /// The request's `timeoutInterval` begins after the step. A deadline of the call and a retry's
  /// `attemptTimeout` include it. If such a limit ends a POST during the step, the retry takes it
  /// for one that may have been processed.
  ///
  /// - Demand: The step runs with the subscription. The demand is passed on to this transport.
  /// - Errors: As for a step that runs at once.
  /// - Cancellation: Cancels the task during the step, and nothing is sent even if the step
  ///   continues. Then cancels the exchange.
  /// - Delivery: The step runs in the task. The request is sent from a queue of the exchange, where
  ///   a failure and a response of the step arrive.
  ///
  /// - Parameter step: A closure that changes, answers or watches an exchange before it begins.
  public func intercepted(
    by step: @escaping InterceptedTransport.AsyncStep
  ) -> InterceptedTransport {
    InterceptedTransport(self, awaiting: step)
  }
}
