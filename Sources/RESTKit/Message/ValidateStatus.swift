import Streams

extension Publisher where Output == RESTResponse {
  /// Fails with ``RESTError`` of kind ``RESTError/Kind/status(_:)`` where the status is not one of
  /// those accepted; the error keeps the response's head, its body and its problem document.
  ///
  /// - Parameter accepted: The statuses to let through.
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
  /// - Throws: `RESTError` of kind `status` where the status is not one of those accepted.
  func requireStatus(_ accepted: ClosedRange<Int>) throws(RESTError) {
    guard accepted ~= statusCode else { throw recording(RESTError(unacceptable: self)) }
  }
}
