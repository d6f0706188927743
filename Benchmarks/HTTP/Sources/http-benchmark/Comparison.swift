import Measuring

/// A goal for CurlTransport in comparison with another client.
///
/// For RESTKit's verbs on CurlTransport, the goal is five percentage points lower. In a pipeline,
/// where they also decode, it is 25 points lower.
struct Comparison {
  let client: Client
  /// The maximum processor time of a call, as a multiple of the other client's.
  var processorTime: Double?
  /// The minimum requests a second, as a multiple of the other client's.
  var requests: Double?
  /// Whether only a quiet machine can report that the goal is missed.
  var wantsQuiet = false

  /// The tolerance for a client, as a fraction of 1.
  private static func slack(for client: Client) -> Double {
    switch client {
    case .verbs: 0.05
    case .verbsPipeline: 0.25
    default: 0
    }
  }

  /// Returns the measured value and the verdict for each part of the goal, processor time first.
  func results(
    for client: Client, in measurement: Measurement
  ) -> [(measured: String, verdict: Goal.Verdict)] {
    let slack = Self.slack(for: client)
    let isBusy = measurement.business?.isQuiet == false
    var results: [(measured: String, verdict: Goal.Verdict)] = []
    if let limit = processorTime.map({ $0 + slack }),
      let ratio = measurement.processorRatio(of: client, to: self.client)
    {
      results.append(
        ("CPU \(times(ratio))", (text: "CPU ≤ \(times(limit))", isMet: ratio <= limit)))
    }
    if let limit = requests.map({ $0 - slack }),
      let ratio = measurement.ratio(of: client, to: self.client)
    {
      let text = limit < 1 ? percent : times
      let isUnknown = wantsQuiet && isBusy && ratio < limit
      results.append(
        (
          "requests \(text(ratio))",
          (text: "requests ≥ \(text(limit))", isMet: isUnknown ? nil : ratio >= limit)
        ))
    }
    return results
  }

  private func times(_ ratio: Double) -> String {
    "\(ratio.hundredths) × \(client.rawValue)"
  }

  private func percent(_ ratio: Double) -> String {
    "\(Int((ratio * 100).rounded())) % of \(client.rawValue)"
  }
}
