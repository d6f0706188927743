extension Publishers {
  /// A publisher of the smallest or the largest value.
  @frozen public struct Comparison<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    @usableFromInline let base: Folded<Upstream, ComparisonFold<Upstream.Output, Failure>>

    @inlinable init(_ base: Folded<Upstream, ComparisonFold<Upstream.Output, Failure>>) {
      self.base = base
    }

    @inlinable
    @inline(__always) public func receive(subscriber: some Subscriber<Output, Failure>) {
      base.receive(subscriber: subscriber)
    }
  }

  /// A fold that keeps the smallest or the largest value so far.
  ///
  /// Of two equal values, it keeps the first.
  @frozen public struct ComparisonFold<Input: Sendable, Failure: Error>: Fold {
    @usableFromInline var best: Input?
    @usableFromInline let takesLargest: Bool
    @usableFromInline let isBefore: @Sendable (Input, Input) throws(Failure) -> Bool

    @inlinable init(
      _ isBefore: @escaping @Sendable (Input, Input) throws(Failure) -> Bool, takesLargest: Bool
    ) {
      self.isBefore = isBefore
      self.takesLargest = takesLargest
    }

    @inlinable public mutating func receive(_ input: Input) throws(Failure) -> Bool {
      guard let best else {
        best = input
        return true
      }
      if try takesLargest ? isBefore(best, input) : isBefore(input, best) { self.best = input }
      return true
    }

    @inlinable public mutating func result() throws(Failure) -> Input? { best.take() }
  }
}
