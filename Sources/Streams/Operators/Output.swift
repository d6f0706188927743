extension Publisher {
  /// Sends the value at a position and finishes.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// output(at: 1)
  /// result: -----(2|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, which also cancels the upstream, or when the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter index: The number of values before it. The stream finishes at once if the number
  ///   is negative.
  @inlinable public func output(at index: Int) -> Publishers.Output<Self> {
    output(in: index...index)
  }

  /// Sends the values at a range of positions.
  ///
  /// ```marble
  /// source: --1--2--3--4--|
  /// output(in: 1...2)
  /// result: -----2--(3|)
  /// ```
  ///
  /// - Demand: Forwards the downstream's demand, and requests one more value for each one dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: With the last value of the range, which also cancels the upstream, or when the
  ///   upstream finishes. At once, without subscribing to the upstream, if the range is empty.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: On the upstream's thread.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter range: The range of positions, which count from zero. There are no values at
  ///   negative positions.
  @inlinable public func output<Range: RangeExpression>(in range: Range) -> Publishers.Output<Self>
  where Range.Bound == Int {
    Publishers.Output(through(Publishers.OutputStage(range.relative(to: EveryPosition()))))
  }
}

extension Publishers {
  /// A publisher of the values at a range of positions.
  @frozen public struct Output<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    @usableFromInline let base: Staged<Upstream, OutputStage<Upstream.Output, Upstream.Failure>>

    @inlinable init(_ base: Staged<Upstream, OutputStage<Upstream.Output, Upstream.Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A stage that counts values and passes on those in a range.
  @frozen public struct OutputStage<Input: Sendable, Failure: Error>: Stage {
    @usableFromInline let range: Range<Int>
    @usableFromInline var index = 0

    @inlinable init(_ range: Range<Int>) {
      self.range = range.clamped(to: 0..<Int.max)
    }

    @inlinable public var isDone: Bool { range.isEmpty }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> StageStep<Input> {
      index += 1
      if index <= range.lowerBound { return .skip }
      return index == range.upperBound ? .last(input) : .pass(input)
    }
  }
}

/// A collection of all positions, in which any kind of range finds its bounds.
@frozen @usableFromInline struct EveryPosition: Collection {
  @inlinable init() {}
  @inlinable var startIndex: Int { .min }
  @inlinable var endIndex: Int { .max }
  @inlinable subscript(position: Int) -> Int { position }

  @inlinable func index(after position: Int) -> Int {
    position == .max ? .max : position + 1
  }
}
