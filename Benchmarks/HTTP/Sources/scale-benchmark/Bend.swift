/// The place where a line of costs is not flat any more.
///
/// It is the first value whose cost exceeds 1.25 times the lowest cost so far. A value that was
/// not measured is no place.
struct Bend: Equatable {
  let value: Int
  let cost: Double
  /// The lowest cost before it.
  let lowest: Double

  static let factor = 1.25

  /// - Parameter costs: The costs of the values in ascending order, or nil for a value that was not
  ///   measured.
  /// - Returns: nil if the line is flat.
  init?(in costs: [(value: Int, cost: Double?)]) {
    var lowest = Double.infinity
    for (value, cost) in costs {
      guard let cost else { continue }
      if cost > lowest * Self.factor {
        self.init(value: value, cost: cost, lowest: lowest)
        return
      }
      lowest = min(lowest, cost)
    }
    return nil
  }

  init(value: Int, cost: Double, lowest: Double) {
    self.value = value
    self.cost = cost
    self.lowest = lowest
  }
}
