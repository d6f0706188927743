/// The namespace of the types that act as subscribers, and of what they exchange with publishers.
public enum Subscribers {}

extension Subscribers {
  /// How many values a subscriber is ready to take.
  ///
  /// Demand adds up and saturates at ``unlimited``; taking away clamps at ``none``. No arithmetic
  /// on it traps (contract C-3; Reactive Streams 1.0.4, rules 3.8 and 3.17).
  @frozen public struct Demand: Sendable, Hashable, Comparable, CustomStringConvertible {
    @usableFromInline let count: Int

    @inlinable init(count: Int) {
      self.count = count
    }

    /// No limit: the publisher may send as fast as it can.
    ///
    /// Nothing takes it back but a cancel.
    @inlinable public static var unlimited: Demand { Demand(count: .max) }

    /// Nothing, for now.
    @inlinable public static var none: Demand { Demand(count: 0) }

    /// At most so many values.
    ///
    /// - Parameter value: Zero or more. A negative count is a programming error, caught here.
    @inlinable public static func max(_ value: Int) -> Demand {
      precondition(value >= 0, "Demand.max(\(value)): a demand cannot be negative; use .none")
      return Demand(count: value)
    }

    /// The number of values asked for, or nil where there is no limit.
    @inlinable public var max: Int? { count == .max ? nil : count }

    public var description: String {
      count == .max ? "unlimited" : "max(\(count))"
    }

    @inlinable public static func < (lhs: Demand, rhs: Demand) -> Bool { lhs.count < rhs.count }

    @inlinable public static func + (lhs: Demand, rhs: Demand) -> Demand {
      let (sum, overflow) = lhs.count.addingReportingOverflow(rhs.count)
      return Demand(count: overflow ? .max : sum)
    }

    @inlinable public static func += (lhs: inout Demand, rhs: Demand) { lhs = lhs + rhs }

    @inlinable public static func + (lhs: Demand, rhs: Int) -> Demand {
      if rhs < 0 {
        return lhs - Demand(count: rhs == .min ? .max : -rhs)
      }
      return lhs + Demand(count: rhs)
    }

    @inlinable public static func += (lhs: inout Demand, rhs: Int) { lhs = lhs + rhs }

    @inlinable public static func - (lhs: Demand, rhs: Demand) -> Demand {
      if lhs.count == .max { return .unlimited }
      return rhs.count >= lhs.count ? .none : Demand(count: lhs.count - rhs.count)
    }

    @inlinable public static func -= (lhs: inout Demand, rhs: Demand) { lhs = lhs - rhs }

    @inlinable public static func - (lhs: Demand, rhs: Int) -> Demand {
      if rhs < 0 {
        return lhs + Demand(count: rhs == .min ? .max : -rhs)
      }
      return lhs - Demand(count: rhs)
    }

    @inlinable public static func -= (lhs: inout Demand, rhs: Int) { lhs = lhs - rhs }

    @inlinable public static func * (lhs: Demand, rhs: Int) -> Demand {
      if rhs <= 0 { return .none }
      if lhs.count == .max { return .unlimited }
      let (product, overflow) = lhs.count.multipliedReportingOverflow(by: rhs)
      return Demand(count: overflow ? .max : product)
    }

    @inlinable public static func *= (lhs: inout Demand, rhs: Int) { lhs = lhs * rhs }
  }
}

/// Demands and numbers: unlimited demand is more than any number.
extension Subscribers.Demand {
  @inlinable public static func == (lhs: Self, rhs: Int) -> Bool { lhs.max == rhs }
  @_disfavoredOverload
  @inlinable public static func == (lhs: Int, rhs: Self) -> Bool { rhs == lhs }
  @_disfavoredOverload
  @inlinable public static func != (lhs: Self, rhs: Int) -> Bool { !(lhs == rhs) }
  @_disfavoredOverload
  @inlinable public static func != (lhs: Int, rhs: Self) -> Bool { !(rhs == lhs) }

  @inlinable public static func < (lhs: Self, rhs: Int) -> Bool {
    lhs.max.map { $0 < rhs } ?? false
  }
  @_disfavoredOverload
  @inlinable public static func < (lhs: Int, rhs: Self) -> Bool {
    rhs.max.map { lhs < $0 } ?? true
  }
  @inlinable public static func > (lhs: Self, rhs: Int) -> Bool { rhs < lhs }
  @_disfavoredOverload
  @inlinable public static func > (lhs: Int, rhs: Self) -> Bool { rhs < lhs }

  @inlinable public static func <= (lhs: Self, rhs: Int) -> Bool { !(rhs < lhs) }
  @_disfavoredOverload
  @inlinable public static func <= (lhs: Int, rhs: Self) -> Bool { !(rhs < lhs) }
  @inlinable public static func >= (lhs: Self, rhs: Int) -> Bool { !(lhs < rhs) }
  @_disfavoredOverload
  @inlinable public static func >= (lhs: Int, rhs: Self) -> Bool { !(lhs < rhs) }
}
