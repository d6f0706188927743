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
