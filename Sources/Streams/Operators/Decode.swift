extension Publisher {
  /// Decodes each value, and fails with what the decoder throws.
  ///
  /// What the decoder throws cancels the upstream.
  ///
  /// ```marble
  /// source: --a--b--|
  /// decode(type: Int.self, decoder: JSONDecoder())
  /// result: --1--#
  /// a = Data("1".utf8)
  /// b = Data("?".utf8)
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: What the decoder throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: The decoder's, for each value.
  ///
  /// - Parameters:
  ///   - type: What to decode.
  ///   - decoder: Decodes where the publisher delivers.
  @inlinable public func decode<Item: Decodable & Sendable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Coder.Input == Output {
    tryMap { try decoder.decode(type, from: $0) }
  }
}

/// Decodes whole values of one encoded form.
public protocol TopLevelDecoder<Input>: Sendable {
  associatedtype Input

  func decode<Item: Decodable>(_ type: Item.Type, from input: Input) throws -> Item
}

extension Publishers {
  /// A publisher of decoded values.
  public typealias Decode<
    Upstream: Publisher, Output: Decodable & Sendable, Coder: TopLevelDecoder
  > = TryMap<Upstream, Output, any Error>
  where Coder.Input == Upstream.Output
}
