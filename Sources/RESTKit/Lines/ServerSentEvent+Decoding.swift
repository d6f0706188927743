import Foundation

extension ServerSentEvent {
  /// Decodes the data of the event.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder for the data.
  /// - Throws: ``RESTError`` of kind ``RESTError/Kind/malformedResponse`` if the data is not JSON, and of
  ///   kind ``RESTError/Kind/decoding`` if it is JSON of another shape. The error's text names the position,
  ///   and its ``RESTError/body`` is the data.
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
