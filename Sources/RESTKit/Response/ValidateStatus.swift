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
      guard accepted ~= response.statusCode else { throw RESTError(unacceptable: response) }
      return response
    }
  }
}
