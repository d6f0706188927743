/// The namespace of subscriber types and of the types that subscribers exchange with publishers.
public enum Subscribers {}

extension Subscribers {
  /// The number of values that a subscriber is ready to receive.
  ///
  /// Addition saturates at ``unlimited``, and subtraction stops at ``none``. No arithmetic traps
  /// (contract C-3; Reactive Streams 1.0.4, rules 3.8 and 3.17).
  @frozen public struct Demand: Sendable, Hashable, Comparable, CustomStringConvertible {
    @usableFromInline let count: Int

    @inlinable init(count: Int) {
      self.count = count
    }

    /// Unlimited demand: the publisher may send as fast as it can.
    ///
    /// Only a cancel revokes it.
    @inlinable public static var unlimited: Demand { Demand(count: .max) }

    /// No demand for now.
    @inlinable public static var none: Demand { Demand(count: 0) }

    /// Returns a demand for at most this number of values.
    ///
    /// - Parameter value: The number of values, zero or more. A negative number is a programming
    ///   error and traps.
    @inlinable public static func max(_ value: Int) -> Demand {
      // As in Combine: there is no demand that a negative number could mean, and `max` cannot
      // throw.
      precondition(value >= 0, "Demand.max(\(value)): a demand cannot be negative; use .none")
      return Demand(count: value)
    }

    /// The number of requested values, or nil if the demand is unlimited.
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

/// Comparisons of demands with numbers.
///
/// Unlimited demand is greater than any number.
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
