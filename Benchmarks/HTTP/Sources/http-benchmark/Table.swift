import Measuring

/// The measurements as tables in Markdown.
struct Table {
  let measurements: [Measurement]

  var text: String {
    [calls, promises].compactMap(\.self).joined(separator: "\n\n")
  }

  private var calls: String? {
    let timed = measurements.filter { !$0.workCase.isAlone && $0.workCase != .answeredAtOnce }
    guard !timed.isEmpty else { return nil }
    let head = [
      markdownRow([
        "", "client", "requests/s", "CPU µs", "allocations", "CurlTransport", "RESTKit on it",
        "goal", "met",
      ]),
      markdownRow(["---", "---", "--:", "--:", "--:", "--:", "--:", "---", "---"]),
    ]
    return (head + timed.flatMap(rows)).joined(separator: "\n")
  }

  private func rows(_ measurement: Measurement) -> [String] {
    Client.allCases.compactMap { client in
      guard let cost = measurement.costs[client] else { return nil }
      let verdict = measurement.workCase.goal.verdict(on: measurement, against: client)
      return markdownRow([
        measurement.workCase.title, client.rawValue, Int(cost.callsPerSecond.rounded()).grouped,
        cost.processorTime.significant, cost.allocations?.significant ?? "n/a",
        ratio(of: .curlTransport, to: client, in: measurement),
        ratio(of: .verbs, to: client, in: measurement), verdict?.text ?? "",
        verdict.map { met([$0]) } ?? "",
      ])
    }
  }

  private func ratio(of one: Client, to other: Client, in measurement: Measurement) -> String {
    guard one != other, let ratio = measurement.ratio(of: one, to: other) else { return "–" }
    return "\(ratio.significant) ×"
  }

  private var promises: String? {
    let rows = measurements.compactMap(promise)
    guard !rows.isEmpty else { return nil }
    let head = [
      markdownRow(["", "measured", "goal", "met"]), markdownRow(["---", "---", "---", "---"]),
    ]
    return (head + rows).joined(separator: "\n")
  }

  private func promise(_ measurement: Measurement) -> String? {
    let goal = measurement.workCase.goal
    switch measurement.workCase {
    case .oneCaller, .answeredAtOnce:
      guard let layer = measurement.layer else { return nil }
      let verdicts = goal.verdictsOnLayer(measurement)
      let allocations = layer.allocations?.significant ?? "uncounted"
      return promise(
        "RESTKit's layer over the transport, \(measurement.workCase.title)",
        "\(layer.processorTime.significant) µs, \(allocations) allocations", verdicts)
    case .eightCallers, .manyCallers: return nil
    case .unheardLog, .longRun, .burst, .download, .upload:
      let facts = measurement.facts
      return promise(measurement.workCase.title, told(facts), goal.verdicts(on: facts))
    }
  }

  private func promise(
    _ title: String, _ measured: String, _ verdicts: [Goal.Verdict]
  ) -> String {
    markdownRow([title, measured, verdicts.map(\.text).joined(separator: ", "), met(verdicts)])
  }

  private func told(_ facts: Facts) -> String {
    if let time = facts[.nanoseconds] { return "\(time) ns a call" }
    if let growth = facts[.growth] {
      return "the last half grows by \(growth.mebibytes) MiB, descriptors "
        + "\(facts[.descriptorsBefore] ?? 0) → \(facts[.descriptorsAfter] ?? 0)"
    }
    if let time = facts[.milliseconds] {
      let above = (facts[.peak] ?? 0) - (facts[.idle] ?? 0)
      let part = facts.partOfCurl.map { "\(Int(($0 * 100).rounded())) % of curl's speed" }
      return "\((Double(time) / 1_000).hundredths) s, \(part ?? "curl is not there"), at most"
        + " \(above.mebibytes) MiB above idle"
    }
    return "\(facts[.answered]?.grouped ?? "?") answered over \(facts[.connections] ?? 0)"
      + " connections, at most \(facts[.peak]?.mebibytes ?? "?") MiB"
      + " (\(facts[.idle]?.mebibytes ?? "?") before)"
  }
}

extension Int {
  /// With commas between thousands.
  fileprivate var grouped: String {
    guard self >= 1_000 else { return String(self) }
    return "\((self / 1_000).grouped),\(String(1_000 + self % 1_000).dropFirst())"
  }
}
