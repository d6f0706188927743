import Streams

extension Publisher where Failure == any Error {
  /// Shares one exchange with whoever asks for the same at the same time.
  ///
  /// ```swift
  /// let coalescer = RequestCoalescer()
  ///
  /// func profile() -> AnyPublisher<Profile, any Error> {
  ///   api.get(endpoint: "me").coalesced(in: coalescer).decode(type: Profile.self)
  /// }
  /// ```
  ///
  /// The first caller sends the request, with his context; those who come before its answer wait for that.
  /// ``RequestCoalescer`` says which requests are the same. What follows the exchange is each caller's
  /// own: his demand, his retries, his session, his errors and his log, in which
  /// ``CallEvent/Kind/joined(attempt:cause:)`` stands in the place of
  /// ``CallEvent/Kind/sent(attempt:cause:)``. Retries, redirects and what goes once more with a new token
  /// are shared in their turn, if they meet. Metrics are those of the one exchange.
  ///
  /// Without a coalescer, those who subscribe to this one publisher share; two that are made by the same
  /// code do not know of each other. It holds for all requests of the pipeline before it, wherever it
  /// stands, and takes the place of the API's ``RESTAPI/coalescer``; of several, the one nearest to the
  /// verb counts. Requests with a body, those of other methods than GET and HEAD, and exchanges in pieces
  /// (`events`, downloads, uploads) pass by.
  ///
  /// - Demand: The downstream's. The exchange is begun by the subscription, and a response waits for
  ///   demand; no caller waits for the demand of another.
  /// - Errors: The upstream's failure. That of an exchange goes to all who share it; a time-out counts
  ///   from when that was sent.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Leaves the others alone; that of the last one cancels the exchange.
  /// - Delivery: Where the exchange delivers, one caller after another in the order in which they came. Where
  ///   one blocks for longer than a tenth of a second, another thread delivers to those behind it.
  ///
  /// - Parameter coalescer: What callers share who are to share exchanges.
  @inlinable public func coalesced(
    in coalescer: RequestCoalescer = RequestCoalescer()
  ) -> AnyPublisher<Output, any Error> {
    context(RequestCoalescer.Key.self, coalescer).eraseToAnyPublisher()
  }
}
