extension Publisher where Output: Encodable {
  /// Encodes each value, and fails with what the encoder throws.
  ///
  /// What the encoder throws cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--|
  /// encode(encoder: JSONEncoder())
  /// result: --a--b--|
  /// a = Data("1".utf8)
  /// b = Data("2".utf8)
  /// ```
  ///
  /// - Demand: The downstream's.
  /// - Errors: What the encoder throws, or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: The encoder's, for each value.
  ///
  /// - Parameter encoder: Encodes where the publisher delivers.
  @inlinable public func encode<Coder: TopLevelEncoder>(
    encoder: Coder
  ) -> Publishers.Encode<Self, Coder> where Coder.Output: Sendable {
    tryMap { try encoder.encode($0) }
  }
}

/// Encodes whole values to one encoded form.
public protocol TopLevelEncoder<Output>: Sendable {
  associatedtype Output

  func encode<Item: Encodable>(_ value: Item) throws -> Output
}

extension Publishers {
  /// A publisher of encoded values.
  public typealias Encode<Upstream: Publisher, Coder: TopLevelEncoder> =
    TryMap<Upstream, Coder.Output, any Error>
  where Upstream.Output: Encodable, Coder.Output: Sendable
}
