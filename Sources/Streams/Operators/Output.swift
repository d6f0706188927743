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
  @inlinable
  public func output(at index: Int) -> Publishers.Output<Self> {
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
  @inlinable
  public func output<Range: RangeExpression>(in range: Range) -> Publishers.Output<Self>
  where Range.Bound == Int {
    Publishers.Output(upstream: self, range: range.relative(to: EveryPosition()))
  }
}

extension Publishers {
  /// A publisher of the values at a range of positions.
  @frozen
  public struct Output<Upstream: Publisher>: Publisher {
    public typealias Output = Upstream.Output
    public typealias Failure = Upstream.Failure

    public let upstream: Upstream
    public let range: Swift.Range<Int>

    @inlinable
    public init(upstream: Upstream, range: Swift.Range<Int>) {
      self.upstream = upstream
      self.range = range
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let range = range.clamped(to: 0..<Int.max)
      guard !range.isEmpty else {
        Empty().receive(subscriber: subscriber)
        return
      }
      let stage = OutputStage<Output, Failure>(range: range)
      upstream.receive(
        subscriber: StageSubscriber(stage, downstream: subscriber, mapFailure: { $0 }))
    }
  }
}

@frozen
@usableFromInline
struct OutputStage<Input: Sendable, Failure: Error>: Stage {
  @usableFromInline let range: Range<Int>
  @usableFromInline var index: Int = 0

  @inlinable
  init(range: Range<Int>) {
    self.range = range
  }

  @inlinable
  mutating func receive(_ input: Input) -> StageStep<Input, Failure> {
    index += 1
    if index <= range.lowerBound { return .skip }
    return index == range.upperBound ? .last(input) : .pass(input)
  }
}

/// All positions, for any kind of range to find its bounds in.
@frozen
@usableFromInline
struct EveryPosition: Collection {
  @inlinable init() {}
  @inlinable var startIndex: Int { .min }
  @inlinable var endIndex: Int { .max }
  @inlinable subscript(position: Int) -> Int { position }

  @inlinable
  func index(after position: Int) -> Int {
    position == .max ? .max : position + 1
  }
}
