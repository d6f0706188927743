import Foundation
import Streams

extension Publisher where Output == RESTResponse {
  /// Decodes the body of a response whose status is 200...299.
  ///
  /// The publisher fails with ``RESTError``: of kind ``RESTError/Kind/status(_:)`` for another
  /// status, of kind ``RESTError/Kind/malformedResponse`` if the body is not JSON, and of kind
  /// ``RESTError/Kind/decoding`` if the JSON has another shape. The error's text then has the place
  /// in the JSON. An empty body, as that of a 204, is nil if the type is optional.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder; nil for that of the API, or a plain one if the API has none. It runs
  ///     on the thread that delivers the response.
  public func decode<Item: Decodable & Sendable>(
    type: Item.Type, decoder: JSONDecoder? = nil
  ) -> Publishers.TryMap<Self, Item, any Error> {
    tryMap { try $0.decoded(as: Item.self, by: decoder) }
  }
}

extension RESTResponse {
  /// Decodes the body of a response whose status is 200...299.
  ///
  /// ``RESTResponse/json`` reads the body of any status.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder; nil for that of the API, or a plain one if the API has none.
  /// - Throws: ``RESTError``, as the failure of `decode(type:decoder:)`.
  public func decoded<Item: Decodable>(
    as type: Item.Type = Item.self, by decoder: JSONDecoder? = nil
  ) throws(RESTError) -> Item {
    let decoder = decoder ?? head.decoder ?? JSONDecoder()
    return try decoded { data in
      if data.isEmpty, let nothing = (Item.self as? any ExpressibleByNilLiteral.Type)?.nothing,
        let item = nothing as? Item
      {
        return item
      }
      return try decoder.decode(Item.self, from: data)
    }
  }

  /// The JSON value in the body, whatever the status; nil if the body is no JSON.
  ///
  /// Each access parses the body.
  public var json: JSONValue? { try? JSONDecoder().decode(JSONValue.self, from: data) }

  /// The body as a value that `decode` makes of it, once the status is 200...299.
  ///
  /// - Throws: ``RESTError``, as `decode(type:decoder:)` fails.
  package func decoded<Item>(by decode: (Data) throws -> Item) throws(RESTError) -> Item {
    try requireStatus(200...299)
    do {
      guard let journal else { return try decode(data) }
      let skipped = SkippedElements()
      let item = try SkippedElements.$current.withValue(skipped) { try decode(data) }
      journal.record(.decoded("\(Item.self)" + skipped.text))
      return item
    } catch {
      throw recording(RESTError(decoding: Item.self, from: self, error: error))
    }
  }
}

extension ExpressibleByNilLiteral {
  fileprivate static var nothing: Self { nil }
}
