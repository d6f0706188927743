import Foundation

/// A logarithmic axis of a plot, from a number to a position.
struct LogScale: Equatable {
  let numbers: ClosedRange<Double>
  /// The positions of the lowest and the highest number; an axis upward goes from high to low.
  let start: Double
  let end: Double

  /// - Parameters:
  ///   - values: The values to show. The scale goes from the power of ten below to the one above
  ///     them, and at least over one decade, so that noise does not look like a bend.
  ///   - floor: The lowest number of the scale, also for values below it.
  init(showing values: [Double], floor: Double, start: Double, end: Double) {
    let low = max(floor, values.min() ?? floor)
    let high = max(low, values.max() ?? low)
    // The logarithm of a power of ten may be a little beside a whole number.
    let first = (log10(low) + 1e-9).rounded(.down)
    let last = max(first + 1, (log10(high) - 1e-9).rounded(.up))
    self.init(numbers: pow(10, first)...pow(10, last), start: start, end: end)
  }

  init(numbers: ClosedRange<Double>, start: Double, end: Double) {
    self.numbers = numbers
    self.start = start
    self.end = end
  }

  /// Returns the position of a number, or that of the nearest end for a number beyond the scale.
  func position(of number: Double) -> Double {
    let inside = min(max(number, numbers.lowerBound), numbers.upperBound)
    let part =
      log(inside / numbers.lowerBound) / log(numbers.upperBound / numbers.lowerBound)
    return start + part * (end - start)
  }

  /// The powers of ten on the scale.
  var ticks: [Double] {
    let first = Int((log10(numbers.lowerBound) - 1e-9).rounded(.up))
    let last = Int((log10(numbers.upperBound) + 1e-9).rounded(.down))
    return first <= last ? (first...last).map { pow(10, Double($0)) } : []
  }
}
