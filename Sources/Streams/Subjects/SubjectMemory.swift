/// What a subject remembers for subscribers that come late or asked for nothing yet.
@usableFromInline
protocol SubjectMemory<Output>: Sendable {
  associatedtype Output: Sendable

  /// Whether a subscriber without demand gets the latest value once it asks.
  static var keepsLatest: Bool { get }

  /// What to serve to a subscriber that missed the value delivered last.
  var replay: Output? { get }

  /// Notes a value that was sent; returns what it displaced, to be released without the lock.
  mutating func noteSent(_ value: Output) -> Output?

  /// Notes a value whose delivery begins; returns what it displaced.
  mutating func noteDelivery(of value: Output) -> Output?
}

/// Remembers nothing.
@frozen
@usableFromInline
struct NoMemory<Output: Sendable>: SubjectMemory {
  @inlinable init() {}
  @inlinable static var keepsLatest: Bool { false }
  @inlinable var replay: Output? { nil }
  @inlinable mutating func noteSent(_ value: Output) -> Output? { nil }
  @inlinable mutating func noteDelivery(of value: Output) -> Output? { nil }
}

/// Remembers the value sent last, and the value delivered last: the two differ while values wait.
@frozen
@usableFromInline
struct LatestValue<Output: Sendable>: SubjectMemory {
  @usableFromInline var sent: Output
  @usableFromInline var delivered: Output

  @inlinable
  init(_ value: Output) {
    sent = value
    delivered = value
  }

  @inlinable static var keepsLatest: Bool { true }
  @inlinable var replay: Output? { delivered }

  @inlinable
  mutating func noteSent(_ value: Output) -> Output? {
    defer { sent = value }
    return sent
  }

  @inlinable
  mutating func noteDelivery(of value: Output) -> Output? {
    defer { delivered = value }
    return delivered
  }
}
