import Streams

/// Decodes and encodes whole numbers as text.
package struct LineCoder: TopLevelDecoder, TopLevelEncoder {
  let touch: @Sendable () -> Void

  package init(touch: @escaping @Sendable () -> Void = {}) {
    self.touch = touch
  }

  package func decode<Item: Decodable>(_ type: Item.Type, from input: String) throws -> Item {
    touch()
    guard let number = Int(input), let item = number as? Item else { throw TestError.second }
    return item
  }

  package func encode<Item: Encodable>(_ value: Item) throws -> String {
    touch()
    guard let number = value as? Int, number >= 0 else { throw TestError.third }
    return String(number)
  }
}
