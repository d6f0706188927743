/// How many values may wait for whoever delivers, and what becomes of one more.
@frozen @usableFromInline struct SubjectBound<Failure: Error>: Sendable {
  @usableFromInline let size: Int
  @usableFromInline let whenFull: Publishers.BufferingStrategy<Failure>

  @inlinable init(size: Int, whenFull: Publishers.BufferingStrategy<Failure>) {
    self.size = max(size, 1)
    self.whenFull = whenFull
  }
}
