import Measuring

/// What CurlTransport is to reach beside another client, and RESTKit's verbs on it less five points.
struct Comparison {
  let client: Client
  /// How many times the other's processor time a call may take.
  var processorTime: Double?
  /// How many times the other's requests a second there are at least.
  var requests: Double?
  /// Whether a machine that is busy with other things cannot say that it is missed.
  var wantsQuiet = false

  /// What the verbs may be off, of 1.
  private static let slack = 0.05

  /// Each part of the goal, the processor's first: what was measured, and the verdict.
  func results(
    for client: Client, in measurement: Measurement
  ) -> [(measured: String, verdict: Goal.Verdict)] {
    let slack = client == .verbs ? Self.slack : 0
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
