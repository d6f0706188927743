extension Publisher {
  /// Gathers values into arrays of a fixed size; the last one may be shorter.
  ///
  /// A failure discards what was gathered.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// collect(2)
  /// result: -----"[1, 2]"-----("[3]"|)
  /// ```
  ///
  /// For each array asked for, it asks the upstream for as many values as the array holds:
  ///
  /// ```marble
  /// source:        -1-2---3-4-|
  /// source demand: 2----2
  /// collect(2)
  /// demand:        1----1
  /// result:        ---x-----y-|
  /// x = [1, 2]
  /// y = [3, 4]
  /// ```
  ///
  /// - Demand: So many of the upstream's values for each array asked for.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes, after what was gathered until then.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: Amortized O(1) for each value; holds up to `count` of them.
  ///
  /// - Parameter count: The size of the arrays; less than one counts as one.
  @inlinable public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    through(Publishers.CollectTail(ratio: Swift.max(count, 1)))
  }
}

extension Publishers {
  /// A publisher of values gathered into arrays of a fixed size.
  public typealias CollectByCount<Upstream: Publisher> =
    Tailed<Upstream, CollectTail<Upstream.Output, Upstream.Failure>>

  /// Gathers values, and what is left at the end.
  @frozen public struct CollectTail<Input: Sendable, Failure: Error>: Tail {
    public let ratio: Int
    @usableFromInline var values: [Input] = []

    @inlinable init(ratio: Int) {
      self.ratio = ratio
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<[Input]> {
      values.append(input)
      guard values.count >= ratio else { return .skip }
      defer { values = [] }
      return .pass(values)
    }

    @inlinable public mutating func end(
      _ completion: Subscribers.Completion<Failure>
    ) -> TailEnd<[Input], Failure> {
      defer { values = [] }
      guard case .finished = completion, !values.isEmpty else { return .end(completion) }
      return .value(values)
    }
  }
}
