extension Publisher {
  /// Decodes each value and fails with the decoder's error.
  ///
  /// An error from the decoder cancels the upstream.
  ///
  /// ```marble
  /// source: --a--b--|
  /// decode(type: Int.self, decoder: JSONDecoder())
  /// result: --1--#
  /// a = Data("1".utf8)
  /// b = Data("?".utf8)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The decoder's error or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: The cost of the decoder, for each value.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder, which runs on the upstream's thread.
  @inlinable public func decode<Item: Decodable & Sendable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Coder.Input == Output {
    tryMap { try decoder.decode(type, from: $0) }
  }
}

/// A decoder of whole values from one encoded form.
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
