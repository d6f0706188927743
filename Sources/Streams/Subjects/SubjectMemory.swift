/// What a subject remembers for subscribers that come late or asked for nothing yet.
///
/// Values have places in the whole sequence, so that a subscriber can be told by the place of the
/// value that it gets next.
@usableFromInline protocol SubjectMemory<Output>: Sendable {
  associatedtype Output: Sendable

  /// Whether anything is remembered at all.
  static var keepsValues: Bool { get }
  /// Whether what was sent last can be read at any time.
  static var isReadable: Bool { get }
  /// Whether the values kept are served after the end, too, and the end after them.
  static var outlivesEnd: Bool { get }

  /// The place of the oldest value kept.
  var start: Int { get }
  /// The place that the next value will have.
  var end: Int { get }

  subscript(place: Int) -> Output? { get }

  mutating func append(_ value: Output)

  /// Drops what was kept only until it was delivered.
  mutating func trim()
}

/// Remembers nothing.
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

/// Remembers the value delivered last.
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

/// Remembers the values delivered last.
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
  /// The element so far behind the first, where there is one.
  @inlinable subscript(offset: Int) -> Element? {
    storage[head + offset]
  }
}
