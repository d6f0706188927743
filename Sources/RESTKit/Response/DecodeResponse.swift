import Foundation
import Streams

extension Publisher where Output == RESTResponse {
  /// Decodes the body of a response, once its status is 200...299.
  ///
  /// Fails with ``RESTError``: of kind ``RESTError/Kind/status(_:)`` for another status, of kind
  /// ``RESTError/Kind/malformedResponse`` where the body is not JSON, and of kind
  /// ``RESTError/Kind/decoding`` where it is JSON of another shape, with the place in its text.
  ///
  /// - Parameters:
  ///   - type: What to decode.
  ///   - decoder: How to decode it. It runs on the thread that delivers.
  public func decode<Item: Decodable & Sendable>(
    type: Item.Type, decoder: JSONDecoder = JSONDecoder()
  ) -> Publishers.TryMap<Publishers.TryMap<Self, RESTResponse, any Error>, Item, any Error> {
    validateStatus().tryMap { response in
      do {
        let item = try decoder.decode(Item.self, from: response.data)
        response.call?.record(.decoded("\(Item.self)"))
        return item
      } catch {
        throw RESTError(decoding: Item.self, from: response, error: error)
      }
    }
  }
}
