import Streams

extension Publisher where Failure == any Error {
  /// Lets the requests of the pipeline before it wait for their turn.
  ///
  /// ```swift
  /// let limiter = RateLimiter(100, per: .seconds(60))
  ///
  /// api.get(endpoint: "search").rateLimited(by: limiter)
  /// ```
  ///
  /// It takes the place of the API's ``RESTAPI/rateLimiter``, for all requests of the pipeline, wherever
  /// it stands; of several, the one nearest to the verb counts.
  ///
  /// - Demand: The downstream's.
  /// - Errors: The upstream's failure; ``RESTError`` of kind ``RESTError/Kind/rateLimit`` where a request
  ///   may not wait.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Gives a place in the line up.
  /// - Delivery: Where the upstream delivers.
  ///
  /// - Parameter limiter: What requests share that are to keep to one limit.
  public func rateLimited(by limiter: RateLimiter) -> AnyPublisher<Output, any Error> {
    context(RateLimiter.Key.self, limiter).eraseToAnyPublisher()
  }
}
