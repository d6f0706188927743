extension Publishers {
  /// A publisher of the smallest or the largest value.
  @frozen
  public struct Comparison<Upstream: Publisher, Failure: Error>: Publisher {
    public typealias Output = Upstream.Output

    public let upstream: Upstream
    @usableFromInline let mapFailure: @Sendable (Upstream.Failure) -> Failure
    @usableFromInline let isBetter:
      @Sendable (Upstream.Output, Upstream.Output) throws(Failure) -> Bool

    @inlinable
    init(
      upstream: Upstream, mapFailure: @escaping @Sendable (Upstream.Failure) -> Failure,
      isBetter: @escaping @Sendable (Upstream.Output, Upstream.Output) throws(Failure) -> Bool
    ) {
      self.upstream = upstream
      self.mapFailure = mapFailure
      self.isBetter = isBetter
    }

    @inlinable
    public func receive<Downstream: Subscriber>(subscriber: Downstream)
    where Downstream.Input == Output, Downstream.Failure == Failure {
      let fold = ComparisonFold(isBetter: isBetter)
      upstream.receive(
        subscriber: FoldSubscriber(fold, downstream: subscriber, mapFailure: mapFailure))
    }
  }
}

@frozen
@usableFromInline
struct ComparisonFold<Input: Sendable, Failure: Error>: Fold {
  @usableFromInline var best: Input? = nil
  @usableFromInline let isBetter:
    @Sendable (_ candidate: Input, _ best: Input) throws(Failure) -> Bool

  @inlinable
  init(isBetter: @escaping @Sendable (_ candidate: Input, _ best: Input) throws(Failure) -> Bool) {
    self.isBetter = isBetter
  }

  @inlinable
  mutating func receive(_ input: Input) throws(Failure) -> Bool {
    guard let best else {
      best = input
      return true
    }
    if try isBetter(input, best) { self.best = input }
    return true
  }

  @inlinable
  mutating func result() throws(Failure) -> Input? { best.take() }
}
