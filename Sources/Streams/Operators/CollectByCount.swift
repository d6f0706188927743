extension Publisher {
  /// Collects values into arrays of a fixed size.
  ///
  /// The last array may be shorter.
  ///
  /// A failure discards the collected values.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// collect(2)
  /// result: -----"[1, 2]"-----("[3]"|)
  /// ```
  ///
  /// For each requested array, the operator requests as many values as the array holds:
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
  /// - Demand: Requests `count` values for each requested array.
  /// - Errors: The upstream's failure.
  /// - Completion: When the upstream finishes, after the values collected so far.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: Amortized O(1) for each value; holds up to `count` values.
  ///
  /// - Parameter count: The size of the arrays. A number less than one counts as one.
  @inlinable public func collect(_ count: Int) -> Publishers.CollectByCount<Self> {
    Publishers.CollectByCount(through(Publishers.CollectTail(ratio: Swift.max(count, 1))))
  }
}

extension Publishers {
  /// A publisher of arrays of a fixed size.
  @frozen public struct CollectByCount<Upstream: Publisher>: Publisher {
    public typealias Output = [Upstream.Output]
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Tailed<Upstream, CollectTail<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Tailed<Upstream, CollectTail<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A tail that collects values and sends the rest at the end.
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
