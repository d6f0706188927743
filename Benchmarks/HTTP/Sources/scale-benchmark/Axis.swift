import Measuring

/// One direction in which the work grows, while the other two keep their value.
enum Axis: String, CaseIterable, Codable {
  case callers, hosts, size

  /// The values, in ascending order.
  var values: [Int] {
    switch self {
    case .callers: [1, 3, 10, 30, 100, 300, 1_000, 3_000, 10_000]
    case .hosts: [1, 3, 10, 30, 100, 300, 1_000]
    case .size: (0...12).map { 1 << (2 * $0) }
    }
  }

  var points: [Point] { values.map { Point(axis: self, value: $0) } }

  /// The name with the extent, such as "callers, 1 to 10,000".
  var title: String {
    let extent = "\(label(values.first ?? 1)) to \(label(values.last ?? 1))"
    return self == .size ? "size of the body, \(extent)" : "\(rawValue), \(extent)"
  }

  /// The values that the other two keep.
  var kept: String {
    let point = Point(axis: self, value: 1)
    return Axis.allCases.filter { $0 != self }.map { $0.named(point[$0]) }.joined(separator: ", ")
  }

  /// Returns a value with its unit, such as "1 caller" or "64 KiB".
  func named(_ value: Int) -> String {
    switch self {
    case .callers: "\(label(value)) \(value == 1 ? "caller" : "callers")"
    case .hosts: "\(label(value)) \(value == 1 ? "host" : "hosts")"
    case .size: label(value)
    }
  }

  /// Returns a value as short as an axis needs it.
  func label(_ value: Int) -> String {
    guard self == .size else { return value.grouped }
    for (shift, unit) in [(20, "MiB"), (10, "KiB")] where value >= 1 << shift {
      return "\(value >> shift) \(unit)"
    }
    return "\(value) B"
  }
}

/// A place on an axis that is measured.
struct Point: Codable, Hashable {
  let axis: Axis
  let value: Int

  var name: String { axis.named(value) }

  /// The number of calls at a time.
  var callers: Int { self[.callers] }
  /// The number of hosts, to which the calls go in turn.
  var hosts: Int { self[.hosts] }
  /// The number of bytes of each body.
  var bytes: Int { self[.size] }

  /// The value on an axis: the point's own, or the one that is kept.
  subscript(axis: Axis) -> Int {
    guard axis != self.axis else { return value }
    return switch axis {
    case .callers: self.axis == .hosts ? 64 : 8
    case .hosts: 1
    case .size: 256
    }
  }
}

extension Double {
  /// The number with two digits, or as a whole number with commas between thousands.
  var grouped: String {
    self < 1_000 ? significant : Int(rounded()).grouped
  }
}

extension Int {
  /// The number with commas between thousands.
  var grouped: String {
    guard self >= 1_000 else { return String(self) }
    return "\((self / 1_000).grouped),\(String(1_000 + self % 1_000).dropFirst())"
  }
}
