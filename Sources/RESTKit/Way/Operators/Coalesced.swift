import Streams

extension Publisher where Failure == any Error {
  /// Shares one exchange with all callers that request the same at the same time.
  ///
  /// ```swift
  /// let coalescer = RequestCoalescer()
  ///
  /// func profile() -> AnyPublisher<Profile, any Error> {
  ///   api.get(endpoint: "me").coalesced(in: coalescer).decode(type: Profile.self)
  /// }
  /// ```
  ///
  /// The first caller sends the request, with that caller's context. Callers that come before the
  /// response wait for it. ``RequestCoalescer`` describes which requests are the same. Each caller
  /// has its own demand, retries, session, errors and log. In the log,
  /// ``CallEvent/Kind/joined(attempt:cause:)`` replaces ``CallEvent/Kind/sent(attempt:cause:)``.
  /// Retries, redirects and repetitions with a new token are also shared if they coincide. The
  /// metrics are those of the one exchange.
  ///
  /// Every response is shared, even one that a cache may not use for another call (`no-store`).
  ///
  /// Without an argument, only the subscribers to this one publisher share. Two publishers from the
  /// same code do not. The coalescer applies to all requests of the upstream pipeline, at any
  /// position in it, and replaces the API's ``RESTAPI/coalescer``. Of several coalescers, the one
  /// nearest to the verb applies. Requests with a body, requests with a method other than GET and
  /// HEAD, and exchanges in pieces (`events`, downloads, uploads) are not shared.
  ///
  /// - Demand: The downstream's. The subscription begins the exchange, and a response waits for
  ///   demand. No caller waits for the demand of another.
  /// - Errors: The upstream's failure. All callers that share an exchange receive its failure. A
  ///   time-out counts from the sending of the exchange. A `call(deadline:)` ends the wait of its
  ///   own caller only.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Does not affect the others. The cancel of the last caller cancels the
  ///   exchange.
  /// - Delivery: Where the exchange delivers, one caller after another in the order of their
  ///   arrival. If a caller blocks for longer than a tenth of a second, another thread delivers to
  ///   the later ones, as long as fewer than 16 callers of the coalescer block.
  ///
  /// - Parameter coalescer: The coalescer, which callers with common exchanges share.
  public func coalesced(
    in coalescer: RequestCoalescer = RequestCoalescer()
  ) -> AnyPublisher<Output, any Error> {
    options { $0.coalescer = coalescer }
  }
}
