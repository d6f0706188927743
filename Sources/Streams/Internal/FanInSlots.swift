/// Where the values of several upstreams wait until they make a row.
@usableFromInline
protocol FanInSlots: Sendable {
  associatedtype Row: Sendable

  init()

  /// Whether an input is asked for everything, whatever the downstream asks for.
  static func isUnbounded(_ input: Int) -> Bool

  /// The row that the value taken in last completes, if it completes one.
  mutating func takeRow() -> Row?

  /// Whether one more value of an input would be of use.
  func hasRoom(for input: Int) -> Bool

  /// Whether no further row can come.
  func isOver(_ inputs: [FanInInput], finished: Int) -> Bool
}

extension FanInSlots {
  @inlinable
  static func isUnbounded(_ input: Int) -> Bool { false }
}

/// A row for each value: what `merge` keeps.
@frozen
@usableFromInline
struct PassingSlot<Value: Sendable>: FanInSlots {
  @usableFromInline var value: Value?

  @inlinable init() {}

  @inlinable
  mutating func put(_ value: Value) -> Value? {
    self.value = value
    return nil
  }

  @inlinable mutating func takeRow() -> Value? { value.take() }
  @inlinable func hasRoom(for input: Int) -> Bool { true }

  @inlinable
  func isOver(_ inputs: [FanInInput], finished: Int) -> Bool {
    finished == inputs.count
  }
}

/// A row for each value of the second input, with the latest one of the first: what
/// `withLatestFrom` keeps.
@frozen
@usableFromInline
struct SamplingSlots<Value: Sendable, Sample: Sendable>: FanInSlots {
  @usableFromInline var value: Value?
  @usableFromInline var sample: Sample?

  @inlinable init() {}

  @inlinable
  static func isUnbounded(_ input: Int) -> Bool { input == 0 }

  @inlinable
  mutating func put(sample new: Sample) -> Sample? {
    defer { sample = new }
    return sample
  }

  /// Takes a value in, or hands it back where there is nothing to go with it.
  @inlinable
  mutating func put(_ new: Value) -> Value? {
    guard sample != nil else { return new }
    value = new
    return nil
  }

  @inlinable
  mutating func takeRow() -> (Value, Sample)? {
    guard let sample, let value = value.take() else { return nil }
    return (value, sample)
  }

  @inlinable func hasRoom(for input: Int) -> Bool { true }

  @inlinable
  func isOver(_ inputs: [FanInInput], finished: Int) -> Bool {
    inputs.count == 2
      && (inputs[1].phase == .finished || (sample == nil && inputs[0].phase == .finished))
  }
}

/// Where the values of one upstream wait.
@usableFromInline
protocol FanInCell<Value>: Sendable {
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
@frozen
@usableFromInline
struct QueueCell<Value: Sendable>: FanInCell {
  @usableFromInline var waiting = FIFO<Value>()

  @inlinable init() {}
  @inlinable static var keepsValue: Bool { false }
  @inlinable var isEmpty: Bool { waiting.isEmpty }

  @inlinable
  mutating func put(_ value: Value) -> Value? {
    waiting.append(value)
    return nil
  }

  @inlinable mutating func take() -> Value? { waiting.popFirst() }
}

/// The latest value is used until the next: what `combineLatest` keeps.
@frozen
@usableFromInline
struct LatestCell<Value: Sendable>: FanInCell {
  @usableFromInline var latest: Value?

  @inlinable init() {}
  @inlinable static var keepsValue: Bool { true }
  @inlinable var isEmpty: Bool { latest == nil }

  @inlinable
  mutating func put(_ value: Value) -> Value? {
    defer { latest = value }
    return latest
  }

  @inlinable mutating func take() -> Value? { latest }
}

/// The cells of a row, one after another: a list whose length and types the compiler knows, so that
/// one mechanism serves each number of upstreams.
@usableFromInline
protocol FanInCells: FanInSlots {
  static var keepsValues: Bool { get }
  var isComplete: Bool { get }
  func isEmpty(at index: Int) -> Bool
}

extension FanInCells {
  @inlinable
  func hasRoom(for input: Int) -> Bool {
    isEmpty(at: input) || (Self.keepsValues && isComplete)
  }

  @inlinable
  func isOver(_ inputs: [FanInInput], finished: Int) -> Bool {
    if finished == inputs.count { return true }
    return inputs.indices.contains { inputs[$0].phase == .finished && isEmpty(at: $0) }
  }
}

/// The end of a row.
@frozen
@usableFromInline
struct NoCells: FanInCells {
  @inlinable init() {}
  @inlinable static var keepsValues: Bool { true }
  @inlinable var isComplete: Bool { true }
  @inlinable func isEmpty(at index: Int) -> Bool { true }
  @inlinable mutating func takeRow() -> Void? { .some(()) }
}

/// A cell and those after it.
@frozen
@usableFromInline
struct Cells<Cell: FanInCell, Rest: FanInCells>: FanInCells {
  @usableFromInline var cell = Cell()
  @usableFromInline var rest = Rest()

  @inlinable init() {}
  @inlinable static var keepsValues: Bool { Cell.keepsValue }
  @inlinable var isComplete: Bool { !cell.isEmpty && rest.isComplete }

  @inlinable
  func isEmpty(at index: Int) -> Bool {
    index == 0 ? cell.isEmpty : rest.isEmpty(at: index - 1)
  }

  @inlinable
  mutating func takeRow() -> (Cell.Value, Rest.Row)? {
    guard isComplete, let value = cell.take(), let rest = rest.takeRow() else { return nil }
    return (value, rest)
  }
}
