extension Publisher where Output: Encodable {
  /// Encodes each value and fails with the encoder's error.
  ///
  /// An error from the encoder cancels the upstream.
  ///
  /// ```marble
  /// source: --1--2--|
  /// encode(encoder: JSONEncoder())
  /// result: --a--b--|
  /// a = Data("1".utf8)
  /// b = Data("2".utf8)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand.
  /// - Errors: The encoder's error or the upstream's failure, as `any Error`.
  /// - Completion: When the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: The cost of the encoder, for each value.
  ///
  /// - Parameter encoder: The encoder, which runs on the upstream's thread.
  @inlinable public func encode<Coder: TopLevelEncoder>(
    encoder: Coder
  ) -> Publishers.Encode<Self, Coder> where Coder.Output: Sendable {
    tryMap { try encoder.encode($0) }
  }
}

/// An encoder of whole values to one encoded form.
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
