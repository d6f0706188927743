import Streams

extension Publisher where Failure == any Error {
  /// Makes the requests of the upstream pipeline wait for their turn.
  ///
  /// ```swift
  /// let limiter = RateLimiter(100, per: .seconds(60))
  ///
  /// api.get(endpoint: "search").rateLimited(by: limiter)
  /// ```
  ///
  /// The limiter replaces the API's ``RESTAPI/rateLimiter`` for all requests of the pipeline, at
  /// any position in it. Of several limiters, the one nearest to the verb applies.
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure; ``RESTError`` of kind ``RESTError/Kind/rateLimit`` if a
  ///   request may not wait.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Gives up the request's place in the line.
  /// - Delivery: Where the upstream delivers.
  ///
  /// - Parameter limiter: The limiter, which requests with a common limit share.
  public func rateLimited(by limiter: RateLimiter) -> AnyPublisher<Output, any Error> {
    options { $0.limiter = limiter }
  }
}
