import Streams

extension CombineScheduler {
  /// A point in a scheduler's time.
  public struct SchedulerTimeType: Strideable, Hashable, Sendable {
    /// The time since the scheduler's reference point.
    public var sinceReference: Duration

    public init(sinceReference: Duration) {
      self.sinceReference = sinceReference
    }

    public func distance(to other: Self) -> Stride {
      Stride(other.sinceReference.saturatingSubtracting(sinceReference))
    }

    public func advanced(by stride: Stride) -> Self {
      Self(sinceReference: sinceReference.saturatingAdding(stride.duration))
    }
  }
}

extension CombineScheduler.SchedulerTimeType {
  /// A length of time, whose literals without a unit are seconds.
  ///
  /// A number of seconds that is not a number makes a length of zero. An infinite one, or one that
  /// is too great, makes the longest length. Sums and products stop at that length, too.
  public struct Stride: Hashable, Comparable, SignedNumeric, ExpressibleByFloatLiteral,
    CombineFramework.SchedulerTimeIntervalConvertible, Sendable
  {
    public var duration: Duration

    public init(_ duration: Duration) {
      self.duration = duration
    }

    public init(integerLiteral seconds: Int) {
      self.init(.seconds(seconds))
    }

    public init(floatLiteral seconds: Double) {
      self.init(Duration(saturatingSeconds: seconds))
    }

    public init?(exactly seconds: some BinaryInteger) {
      guard let seconds = Int64(exactly: seconds) else { return nil }
      self.init(.seconds(seconds))
    }

    /// The absolute value of the length, in seconds.
    public var magnitude: Double { abs(duration / .seconds(1)) }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.duration < rhs.duration }

    public static func + (lhs: Self, rhs: Self) -> Self {
      Self(lhs.duration.saturatingAdding(rhs.duration))
    }

    public static func - (lhs: Self, rhs: Self) -> Self {
      Self(lhs.duration.saturatingSubtracting(rhs.duration))
    }

    public static func * (lhs: Self, rhs: Self) -> Self {
      let product = lhs.duration / .seconds(1) * (rhs.duration / .seconds(1))
      // Exact as long as a duration can hold it.
      guard product.magnitude < 1.7e20 else { return seconds(product) }
      return Self(lhs.duration * (rhs.duration / .seconds(1)))
    }

    public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

    public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

    public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

    public static func seconds(_ s: Int) -> Self { Self(.seconds(s)) }

    public static func seconds(_ s: Double) -> Self { Self(Duration(saturatingSeconds: s)) }

    public static func milliseconds(_ ms: Int) -> Self { Self(.milliseconds(ms)) }

    public static func microseconds(_ us: Int) -> Self { Self(.microseconds(us)) }

    public static func nanoseconds(_ ns: Int) -> Self { Self(.nanoseconds(ns)) }
  }
}
