import Streams

extension Publisher where Output == RESTResponse {
  /// Extracts the payload from an envelope such as `{"status": "ok", "result": {…}}`.
  ///
  /// If the body is a JSON object in which `key` is an object, the new body is exactly the bytes of
  /// that object. Any other JSON passes unchanged. The whole body is checked (RFC 8259, and one
  /// trailing comma as Foundation's parsers accept it), and no part of it is rewritten. A response
  /// whose status is not 200...299 passes unchanged, so that a later stage reports the status.
  ///
  /// The publisher fails with ``RESTError`` of kind ``RESTError/Kind/malformedResponse`` if the
  /// body is not JSON.
  ///
  /// - Parameters:
  ///   - key: The name of the member with the payload.
  ///   - includingArrays: Whether the payload may also be an array, as in `{"result": [1, 2]}`.
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
