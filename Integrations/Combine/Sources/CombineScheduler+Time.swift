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
      Stride(other.sinceReference - sinceReference)
    }

    public func advanced(by stride: Stride) -> Self {
      Self(sinceReference: sinceReference + stride.duration)
    }
  }
}

extension CombineScheduler.SchedulerTimeType {
  /// A length of time, whose literals without a unit are seconds.
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
      self.init(.seconds(seconds))
    }

    public init?(exactly seconds: some BinaryInteger) {
      guard let seconds = Int64(exactly: seconds) else { return nil }
      self.init(.seconds(seconds))
    }

    /// The absolute value of the length, in seconds.
    public var magnitude: Double { abs(duration / .seconds(1)) }

    public static func < (lhs: Self, rhs: Self) -> Bool { lhs.duration < rhs.duration }

    public static func + (lhs: Self, rhs: Self) -> Self { Self(lhs.duration + rhs.duration) }

    public static func - (lhs: Self, rhs: Self) -> Self { Self(lhs.duration - rhs.duration) }

    public static func * (lhs: Self, rhs: Self) -> Self {
      Self(lhs.duration * (rhs.duration / .seconds(1)))
    }

    public static func += (lhs: inout Self, rhs: Self) { lhs = lhs + rhs }

    public static func -= (lhs: inout Self, rhs: Self) { lhs = lhs - rhs }

    public static func *= (lhs: inout Self, rhs: Self) { lhs = lhs * rhs }

    public static func seconds(_ s: Int) -> Self { Self(.seconds(s)) }

    public static func seconds(_ s: Double) -> Self { Self(.seconds(s)) }

    public static func milliseconds(_ ms: Int) -> Self { Self(.milliseconds(ms)) }

    public static func microseconds(_ us: Int) -> Self { Self(.microseconds(us)) }

    public static func nanoseconds(_ ns: Int) -> Self { Self(.nanoseconds(ns)) }
  }
}
