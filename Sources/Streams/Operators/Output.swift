extension Publisher {
  /// Passes on the value at a position, and finishes.
  ///
  /// ```marble
  /// source: --1--2--3--|
  /// output(at: 1)
  /// result: -----(2|)
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: With the value, without waiting for the upstream, which is cancelled; or when
  ///   the upstream finishes.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter index: How many values go before it. A stream has nothing at a negative position:
  ///   it finishes at once.
  @inlinable public func output(at index: Int) -> Publishers.Output<Self> {
    output(in: index...index)
  }

  /// Passes on the values at a range of positions.
  ///
  /// ```marble
  /// source: --1--2--3--4--|
  /// output(in: 1...2)
  /// result: -----2--(3|)
  /// ```
  ///
  /// - Demand: The downstream's, one more for each value that is dropped.
  /// - Errors: The upstream's failure.
  /// - Completion: With the last value of the range, without waiting for the upstream, which is
  ///   cancelled; or when the upstream finishes. At once, without subscribing to the upstream, if
  ///   the range is empty.
  /// - Cancellation: Cancels the upstream.
  /// - Delivery: Where the upstream delivers.
  /// - Complexity: O(1) for each value.
  ///
  /// - Parameter range: Counts from zero; negative positions in it are empty.
  @inlinable public func output<Range: RangeExpression>(in range: Range) -> Publishers.Output<Self>
  where Range.Bound == Int {
    through(Publishers.OutputStage(range.relative(to: EveryPosition())))
  }
}

extension Publishers {
  /// A publisher of the values at a range of positions.
  public typealias Output<Upstream: Publisher> =
    Staged<Upstream, OutputStage<Upstream.Output, Upstream.Failure>>

  /// Counts values, and passes on those in a range.
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

/// All positions, for any kind of range to find its bounds in.
@frozen @usableFromInline struct EveryPosition: Collection {
  @inlinable init() {}
  @inlinable var startIndex: Int { .min }
  @inlinable var endIndex: Int { .max }
  @inlinable subscript(position: Int) -> Int { position }

  @inlinable func index(after position: Int) -> Int {
    position == .max ? .max : position + 1
  }
}
