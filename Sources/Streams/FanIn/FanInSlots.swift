/// The storage for the values of several upstreams until they make a row.
@usableFromInline protocol FanInSlots: Sendable {
  associatedtype Row: Sendable

  init()

  /// Whether an input gets unlimited demand, whatever the downstream requests.
  static func isUnbounded(_ input: Int) -> Bool

  /// The demand for the inputs that do not get unlimited demand.
  static var appetite: FanInAppetite { get }

  /// Returns the row that the last value completes, if it completes one.
  mutating func takeRow() -> Row?

  /// Returns whether no further row can come although an input still runs.
  func isOver(_ inputs: [FanInInput]) -> Bool
}

/// The demand for an input while the downstream's demand is limited.
@frozen @usableFromInline enum FanInAppetite: Sendable {
  /// One value, and the next one after that is taken in.
  case oneByOne
  /// As many values as rows, because each row takes one value of every input.
  case asDemanded
  /// Everything, from the first demand on.
  ///
  /// Of the rows that are not requested, the latest waits.
  case everything
}

extension FanInSlots {
  @inlinable static func isUnbounded(_ input: Int) -> Bool { false }
  @inlinable static var appetite: FanInAppetite { .oneByOne }
  @inlinable func isOver(_ inputs: [FanInInput]) -> Bool { false }
}

/// Slots that make a row of each value, for `merge` and `flatMap`.
@frozen @usableFromInline struct PassingSlot<Value: Sendable>: FanInSlots {
  @usableFromInline var value: Value?

  @inlinable init() {}

  @inlinable mutating func put(_ value: Value) -> Value? {
    self.value = value
    return nil
  }

  @inlinable mutating func takeRow() -> Value? { value.take() }
}

/// Slots that make a row of each value of the second input and the latest value of the first, for
/// `withLatestFrom`.
@frozen @usableFromInline struct SamplingSlots<Value: Sendable, Sample: Sendable>: FanInSlots {
  @usableFromInline var value: Value?
  @usableFromInline var sample: Sample?

  @inlinable init() {}

  @inlinable static func isUnbounded(_ input: Int) -> Bool { input == 0 }

  @inlinable mutating func put(sample new: Sample) -> Sample? {
    defer { sample = new }
    return sample
  }

  /// Takes a value in, or returns it if there is no sample to go with it.
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

/// Slots with a cell for each of two inputs.
///
/// A row is complete when both cells hold a value.
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

/// The storage for the values of one upstream.
@usableFromInline protocol FanInCell<Value>: Sendable {
  associatedtype Value: Sendable

  /// Whether a value stays for the next row.
  static var keepsValue: Bool { get }
  var isEmpty: Bool { get }

  init()
  /// Takes a value in, and returns the value that it replaces, to be released without the lock.
  mutating func put(_ value: Value) -> Value?
  mutating func take() -> Value?
}

/// A cell that uses each value once, in order, for `zip`.
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

/// A cell that uses the latest value until the next one arrives, for `combineLatest`.
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
