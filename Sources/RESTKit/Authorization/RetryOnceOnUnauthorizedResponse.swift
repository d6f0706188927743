import Streams

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// When the answer is 401, runs another request, a refresh as a rule, and sends this one once
  /// more.
  ///
  /// It is `retryOn` with 401 and one retry: the chained request's completion is awaited, whatever
  /// it answers, and its failure becomes the failure here. A second 401 is final: it fails with
  /// ``RESTError`` of kind `status(401)`, which keeps the response. Any other response passes.
  ///
  /// - Parameter chainedRequest: Runs when the answer is 401, before the request is sent again with
  ///   its modifier run anew.
  public func retryOnceOnUnauthorizedResponse<Chained: Publisher>(
    chainedRequest: Chained
  ) -> AnyPublisher<RESTResponse, any Error> where Chained.Failure == any Error {
    tryMap { response in
      guard response.statusCode != 401 else { throw RESTError(unacceptable: response) }
      return response
    }
    .retryOn(
      { ($0 as? RESTError)?.isUnauthorized == true }, retries: 1, chainedPublisher: chainedRequest
    )
    .eraseToAnyPublisher()
  }
}
