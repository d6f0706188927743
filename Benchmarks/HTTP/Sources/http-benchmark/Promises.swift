import Measuring

/// The goals of a case and its results.
struct Promises {
  let measurement: Measurement

  private var goal: Goal { measurement.workCase.goal }

  /// The rows of the table of goals, or none for a case without goals.
  var rows: [String] {
    switch measurement.workCase {
    case .calls:
      [
        beside(.pipeline), beside(.verbsPipeline), beside(.curlTransport), beside(.verbs), layer,
        resumption,
      ].compactMap(\.self)
    case .answeredAtOnce: [layer].compactMap(\.self)
    case .unheardLog, .longRun, .burst, .download, .upload, .slowSubscriber:
      [
        row(
          measurement.workCase.title, told(measurement.facts),
          goal.verdicts(on: measurement.facts))
      ]
    }
  }

  private func row(
    _ title: String, _ measured: String, _ verdicts: [Goal.Verdict]
  ) -> String {
    markdownRow([title, measured, verdicts.map(\.text).joined(separator: ", "), met(verdicts)])
  }

  private func beside(_ client: Client) -> String? {
    let results = goal.results(for: client, in: measurement)
    guard !results.isEmpty else { return nil }
    return row(
      "\(measurement.workCase.title): \(client.rawValue)",
      results.map(\.measured).joined(separator: ", "), results.map(\.verdict))
  }

  private var layer: String? {
    guard goal.layer != nil, let layer = measurement.layer else { return nil }
    let allocations = layer.allocations?.significant ?? "uncounted"
    return row(
      "RESTKit's layer over the transport, \(measurement.workCase.title)",
      "\(layer.processorTime.significant) µs, \(allocations) allocations",
      goal.verdictsOnLayer(measurement))
  }

  private var resumption: String? {
    guard let least = goal.resumed, let own = measurement.resumed[.curlTransport] else {
      return nil
    }
    let shares = Client.allCases.compactMap { client in
      measurement.resumed[client].map { "\(client.rawValue) \(Int(($0 * 100).rounded())) %" }
    }
    return row(
      "\(measurement.workCase.title): TLS sessions resumed", shares.joined(separator: ", "),
      [("CurlTransport ≥ \((least * 100).short) %", own >= least)])
  }

  private func told(_ facts: Facts) -> String {
    if let time = facts[.nanoseconds] { return "\(time) ns a call" }
    if facts[.quiet50] != nil { return delays(facts) }
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

  private func delays(_ facts: Facts) -> String {
    func text(_ company: SlowSubscriber.Company) -> String {
      company.names.map { ((facts[$0.name] ?? 0) / 1_000).grouped }.joined(separator: " / ")
    }
    return "p50 / p99 / p99.9: \(text(.transport)) µs; quiet \(text(.none)) µs;"
      + " decoded on a queue \(text(.queue)) µs"
  }
}
