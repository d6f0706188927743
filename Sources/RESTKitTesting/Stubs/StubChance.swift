import StreamsTesting

/// A change of a response that a seed draws for each of its uses.
struct StubChance: Sendable {
  private enum Change: Sendable {
    case delay(ClosedRange<Duration>)
    case fault(StubFault, probability: Double)
  }

  private let change: Change
  private let seed: UInt64

  static func delay(in range: ClosedRange<Duration>, seed: UInt64) -> StubChance {
    StubChance(change: .delay(range), seed: seed)
  }

  static func fault(_ fault: StubFault, probability: Double, seed: UInt64) -> StubChance {
    StubChance(change: .fault(fault, probability: probability), seed: seed)
  }

  /// Changes a response that is used for this time, from 1.
  ///
  /// The draw depends on the seed and the number of the use alone, so that calls at the same time
  /// do not change one another's.
  func apply(to step: inout StubStep, use: Int) {
    var draws = SeededGenerator(seed: seed)
    var generator = SeededGenerator(seed: draws.next() &+ UInt64(use))
    let share = Double.random(in: 0..<1, using: &generator)
    switch change {
    case .delay(let range):
      step.delay += range.lowerBound + (range.upperBound - range.lowerBound) * share
    case .fault(let fault, let probability):
      guard share < probability else { return }
      step.result = .failure(fault)
      step.flow = nil
    }
  }
}

extension StubAPIResponse {
  /// Adds a random delay to each use of the last response.
  ///
  /// - Parameters:
  ///   - range: The shortest and the longest delay, on the transport's scheduler, in addition to
  ///     the response's own. A negative time counts as zero.
  ///   - seed: The seed. The first use has the same delay in each run, the second, and so on,
  ///     whichever call gets it.
  public func delayed(by range: ClosedRange<Duration>, seed: UInt64) -> StubAPIResponse {
    let range = max(range.lowerBound, .zero)...max(range.upperBound, .zero)
    return changingLast { $0.chances.append(.delay(in: range, seed: seed)) }
  }

  /// Lets some uses of the last response fail with a fault instead.
  ///
  /// - Parameters:
  ///   - fault: The fault.
  ///   - probability: The share of the uses that fail, from 0 for none to 1 for all.
  ///   - seed: The seed. In each run, the same uses fail. Give two faults of one response different
  ///     seeds.
  public func failing(
    with fault: StubFault, probability: Double, seed: UInt64
  ) -> StubAPIResponse {
    changingLast { $0.chances.append(.fault(fault, probability: probability, seed: seed)) }
  }
}
