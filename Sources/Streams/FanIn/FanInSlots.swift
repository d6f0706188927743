/// Where the values of several upstreams wait until they make a row.
@usableFromInline protocol FanInSlots: Sendable {
  associatedtype Row: Sendable

  init()

  /// Whether an input is asked for everything, whatever the downstream asks for.
  static func isUnbounded(_ input: Int) -> Bool

  /// How much the inputs are asked for that are not asked for everything.
  static var appetite: FanInAppetite { get }

  /// The row that the value taken in last completes, if it completes one.
  mutating func takeRow() -> Row?

  /// Whether no further row can come although an input still runs.
  func isOver(_ inputs: [FanInInput]) -> Bool
}

/// How much an input is asked for, as long as the demand is limited.
@frozen @usableFromInline enum FanInAppetite: Sendable {
  /// One value, and the next once that is taken in.
  case oneByOne
  /// As many values as rows: each row takes one of every input.
  case asDemanded
  /// Everything, from the first demand on. Of the rows that nobody has asked for, the latest waits.
  case everything
}

extension FanInSlots {
  @inlinable static func isUnbounded(_ input: Int) -> Bool { false }
  @inlinable static var appetite: FanInAppetite { .oneByOne }
  @inlinable func isOver(_ inputs: [FanInInput]) -> Bool { false }
}

/// A row for each value: what `merge` and `flatMap` keep.
@frozen @usableFromInline struct PassingSlot<Value: Sendable>: FanInSlots {
  @usableFromInline var value: Value?

  @inlinable init() {}

  @inlinable mutating func put(_ value: Value) -> Value? {
    self.value = value
    return nil
  }

  @inlinable mutating func takeRow() -> Value? { value.take() }
}

/// A row for each value of the second input, with the latest one of the first: what
/// `withLatestFrom` keeps.
@frozen @usableFromInline struct SamplingSlots<Value: Sendable, Sample: Sendable>: FanInSlots {
  @usableFromInline var value: Value?
  @usableFromInline var sample: Sample?

  @inlinable init() {}

  @inlinable static func isUnbounded(_ input: Int) -> Bool { input == 0 }

  @inlinable mutating func put(sample new: Sample) -> Sample? {
    defer { sample = new }
    return sample
  }

  /// Takes a value in, or hands it back where there is nothing to go with it.
  @inlinable mutating func put(_ new: Value) -> Value? {
    guard sample != nil else { return new }
    value = new
    return nil
  }

  @inlinable mutating func takeRow() -> (Value, Sample)? {
    guard let sample, let value = value.take() else { return nil }
    return (value, sample)
  }

  @inlinable func isOver(_ inputs: [FanInInput]) -> Bool {
    inputs[1].phase == .finished || (sample == nil && inputs[0].phase == .finished)
  }
}

/// A cell for each of two inputs; a row is complete when both hold a value.
@frozen @usableFromInline struct PairSlots<First: FanInCell, Second: FanInCell>: FanInSlots {
  @usableFromInline var first = First()
  @usableFromInline var second = Second()

  @inlinable init() {}

  @inlinable static var appetite: FanInAppetite {
    First.keepsValue ? .everything : .asDemanded
  }

  @inlinable mutating func takeRow() -> (First.Value, Second.Value)? {
    guard !first.isEmpty, !second.isEmpty, let one = first.take(), let other = second.take()
    else { return nil }
    return (one, other)
  }

  @inlinable func isOver(_ inputs: [FanInInput]) -> Bool {
    (inputs[0].phase == .finished && first.isEmpty)
      || (inputs[1].phase == .finished && second.isEmpty)
  }
}

/// Where the values of one upstream wait.
@usableFromInline protocol FanInCell<Value>: Sendable {
  associatedtype Value: Sendable

  /// Whether a value stays for the next row.
  static var keepsValue: Bool { get }
  var isEmpty: Bool { get }

  init()
  /// Takes a value in; returns what it displaced, to be released without the lock.
  mutating func put(_ value: Value) -> Value?
  mutating func take() -> Value?
}

/// Each value is used once, in order: what `zip` keeps.
@frozen @usableFromInline struct QueueCell<Value: Sendable>: FanInCell {
  @usableFromInline var waiting = FIFO<Value>()

  @inlinable init() {}
  @inlinable static var keepsValue: Bool { false }
  @inlinable var isEmpty: Bool { waiting.isEmpty }

  @inlinable mutating func put(_ value: Value) -> Value? {
    waiting.append(value)
    return nil
  }

  @inlinable mutating func take() -> Value? { waiting.popFirst() }
}

/// The latest value is used until the next: what `combineLatest` keeps.
@frozen @usableFromInline struct LatestCell<Value: Sendable>: FanInCell {
  @usableFromInline var latest: Value?

  @inlinable init() {}
  @inlinable static var keepsValue: Bool { true }
  @inlinable var isEmpty: Bool { latest == nil }

  @inlinable mutating func put(_ value: Value) -> Value? {
    defer { latest = value }
    return latest
  }

  @inlinable mutating func take() -> Value? { latest }
}
