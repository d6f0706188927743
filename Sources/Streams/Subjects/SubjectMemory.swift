/// The values that a subject keeps for late subscribers and for subscribers without demand.
///
/// Values have places in the whole sequence. For each subscriber, the place of its next value is
/// enough.
@usableFromInline protocol SubjectMemory<Output>: Sendable {
  associatedtype Output: Sendable

  /// Whether any values are kept.
  static var keepsValues: Bool { get }
  /// Whether the value that was sent last can be read at any time.
  static var isReadable: Bool { get }
  /// Whether the kept values, and then the end, are served after the end, too.
  static var outlivesEnd: Bool { get }

  /// The place of the oldest kept value.
  var start: Int { get }
  /// The place of the next value.
  var end: Int { get }

  subscript(place: Int) -> Output? { get }

  mutating func append(_ value: Output)

  /// Drops the values that were kept only until their delivery.
  mutating func trim()
}

/// A memory that keeps nothing.
@frozen @usableFromInline struct NoMemory<Output: Sendable>: SubjectMemory {
  @inlinable init() {}
  @inlinable static var keepsValues: Bool { false }
  @inlinable static var isReadable: Bool { false }
  @inlinable static var outlivesEnd: Bool { false }
  @inlinable var start: Int { 0 }
  @inlinable var end: Int { 0 }
  @inlinable subscript(place: Int) -> Output? { nil }
  @inlinable mutating func append(_ value: Output) {}
  @inlinable mutating func trim() {}
}

/// A memory that keeps the last delivered value.
@frozen @usableFromInline struct LatestValue<Output: Sendable>: SubjectMemory {
  @usableFromInline var latest: Output
  @usableFromInline var start = 0

  @inlinable init(_ value: Output) {
    latest = value
  }

  @inlinable static var keepsValues: Bool { true }
  @inlinable static var isReadable: Bool { true }
  @inlinable static var outlivesEnd: Bool { false }
  @inlinable var end: Int { start + 1 }
  @inlinable subscript(place: Int) -> Output? { latest }

  @inlinable mutating func append(_ value: Output) {
    latest = value
    start += 1
  }

  @inlinable mutating func trim() {}
}

/// A memory that keeps the last delivered values.
@frozen @usableFromInline struct LatestValues<Output: Sendable>: SubjectMemory {
  @usableFromInline let limit: Int
  @usableFromInline var log = FIFO<Output>()
  @usableFromInline var start = 0

  @inlinable init(limit: Int) {
    self.limit = limit
  }

  @inlinable static var keepsValues: Bool { true }
  @inlinable static var isReadable: Bool { false }
  @inlinable static var outlivesEnd: Bool { true }
  @inlinable var end: Int { start + log.count }
  @inlinable subscript(place: Int) -> Output? { log[place - start] }

  @inlinable mutating func append(_ value: Output) {
    log.append(value)
  }

  @inlinable mutating func trim() {
    guard log.count > limit else { return }
    start += 1
    _ = log.popFirst()
  }
}

extension FIFO {
  /// The element at an offset from the first, if there is one.
  @inlinable subscript(offset: Int) -> Element? {
    storage[head + offset]
  }
}
