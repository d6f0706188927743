import Streams

extension Publisher where Output == RESTResponse {
  /// Fails with ``RESTError`` of kind ``RESTError/Kind/status(_:)`` if the status is not accepted.
  ///
  /// The error has the response's head, its body and its problem document.
  ///
  /// - Parameter accepted: The accepted statuses.
  public func validateStatus(
    _ accepted: ClosedRange<Int> = 200...299
  ) -> Publishers.TryMap<Self, RESTResponse, any Error> {
    tryMap { response in
      try response.requireStatus(accepted)
      return response
    }
  }
}

extension RESTResponse {
  /// - Throws: `RESTError` of kind `status` if the status is not accepted.
  package func requireStatus(_ accepted: ClosedRange<Int>) throws(RESTError) {
    guard accepted ~= statusCode else { throw recording(RESTError(unacceptable: self)) }
  }
}
