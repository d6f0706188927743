import Streams

extension Publisher where Output == RESTResponse {
  /// Takes the payload out of an envelope such as `{"status": "ok", "result": {…}}`.
  ///
  /// If the body is a JSON object in which `key` is an object, the body becomes exactly the bytes of
  /// that object; any other JSON passes unchanged. The whole body is checked (RFC 8259, and one
  /// trailing comma as Foundation's parsers accept it) and nothing of it is written anew. A response
  /// whose status is not 200...299 passes as it is, so that its status is what a later stage
  /// reports.
  ///
  /// Fails with ``RESTError`` of kind ``RESTError/Kind/malformedResponse`` where the body is not
  /// JSON.
  ///
  /// - Parameters:
  ///   - key: The name of the member that holds the payload.
  ///   - includingArrays: Whether the payload may be an array, too, as in `{"result": [1, 2]}`.
  public func unwrapResultJSON(
    key: String = "result", includingArrays: Bool = false
  ) -> Publishers.TryMap<Self, RESTResponse, any Error> {
    tryMap { response in
      guard response.isSuccess else { return response }
      do throws(JSONSyntaxError) {
        let data = try JSONEnvelope.unwrap(
          response.data, key: key, includingArrays: includingArrays)
        return response.replacingData(with: data)
      } catch {
        throw response.recording(RESTError(error, in: response))
      }
    }
  }
}
