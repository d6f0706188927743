import Measuring

/// Tables of the measurements in Markdown, goals first.
struct Table {
  let measurements: [Measurement]
  /// The load of the machine.
  let business: Business

  var text: String {
    [promises, calls, business.text].compactMap(\.self).joined(separator: "\n\n")
  }

  private var calls: String? {
    let lines = measurements.flatMap(rows)
    guard !lines.isEmpty else { return nil }
    let head = [
      markdownRow([
        "", "client", "CPU µs", "switches", "requests/s", "p50 µs", "p99 µs", "allocations",
        "CurlTransport", "RESTKit on it",
      ]),
      markdownRow(["---", "---"] + Array(repeating: "--:", count: 8)),
    ]
    return (head + lines).joined(separator: "\n")
  }

  private func rows(_ measurement: Measurement) -> [String] {
    guard case .calls = measurement.workCase else { return [] }
    return Client.allCases.compactMap { client in
      guard let cost = measurement.costs[client] else { return nil }
      return markdownRow([
        measurement.workCase.title, client.rawValue, cost.processorTime.significant,
        cost.switches.hundredths, Int(cost.callsPerSecond.rounded()).grouped,
        microseconds(cost.latencies[0.5]),
        microseconds(cost.latencies[0.99]), cost.allocations?.significant ?? "n/a",
        ratio(of: .curlTransport, to: client, in: measurement),
        ratio(of: .verbs, to: client, in: measurement),
      ])
    }
  }

  private func microseconds(_ time: Duration) -> String {
    Int((time / .microseconds(1)).rounded()).grouped
  }

  private func ratio(of one: Client, to other: Client, in measurement: Measurement) -> String {
    guard one != other, let ratio = measurement.ratio(of: one, to: other) else { return "–" }
    return "\(ratio.significant) ×"
  }

  private var promises: String? {
    let rows = measurements.flatMap { Promises(measurement: $0).rows }
    guard !rows.isEmpty else { return nil }
    let head = [
      markdownRow(["", "measured", "goal", "met"]), markdownRow(["---", "---", "---", "---"]),
    ]
    return (head + rows).joined(separator: "\n")
  }
}

extension Int {
  /// The number with commas between thousands.
  var grouped: String {
    guard self >= 1_000 else { return String(self) }
    return "\((self / 1_000).grouped),\(String(1_000 + self % 1_000).dropFirst())"
  }
}
