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
  @inlinable
  public func decode<Item: Decodable & Sendable, Coder: TopLevelDecoder>(
    type: Item.Type, decoder: Coder
  ) -> Publishers.Decode<Self, Item, Coder> where Coder.Input == Output {
    Publishers.Decode(upstream: self, decoder: decoder)
  }
}

/// Decodes whole values of one encoded form.
public protocol TopLevelDecoder<Input>: Sendable {
  associatedtype Input

  func decode<Item: Decodable>(_ type: Item.Type, from input: Input) throws -> Item
}

extension Publishers {
  /// A publisher of decoded values.
  @frozen
  public struct Decode<Upstream: Publisher, Output: Decodable & Sendable, Coder: TopLevelDecoder>:
    Publisher
  where Coder.Input == Upstream.Output {
    public typealias Failure = any Error

    public let upstream: Upstream
    @usableFromInline let decoder: Coder

    @inlinable
    public init(upstream: Upstream, decoder: Coder) {
      self.upstream = upstream
      self.decoder = decoder
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == any Error {
      upstream.tryMap { [decoder] in try decoder.decode(Output.self, from: $0) }
        .receive(subscriber: subscriber)
    }
  }
}
