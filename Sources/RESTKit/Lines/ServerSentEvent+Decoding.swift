import Foundation

extension ServerSentEvent {
  /// The data as a value.
  ///
  /// - Parameters:
  ///   - type: What to decode.
  ///   - decoder: How to decode it.
  /// - Throws: ``RESTError`` of kind ``RESTError/Kind/malformedResponse`` where the data is not JSON, and of
  ///   kind ``RESTError/Kind/decoding`` where it is JSON of another shape, with the place in its text and the
  ///   data as its ``RESTError/body``.
  public func decoded<Item: Decodable>(
    as type: Item.Type = Item.self, by decoder: JSONDecoder = JSONDecoder()
  ) throws(RESTError) -> Item {
    let text = Data(data.utf8)
    do {
      return try decoder.decode(Item.self, from: text)
    } catch {
      throw RESTError(decoding: Item.self, from: "an event's data", text: text, error: error) { _ in
        error
      }
    }
  }
}
