import Measuring

/// The goal of a case.
struct Goal {
  /// The comparisons of CurlTransport, and of RESTKit's verbs on it, with other clients.
  var beside: [Comparison] = []
  /// The comparisons of pipelines with other clients.
  var pipelines: [Comparison] = []
  /// The minimum fraction of CurlTransport's new connections that resume a TLS session.
  var resumed: Double?
  /// The maximum cost of RESTKit's layer: processor time in microseconds, and allocations.
  var layer: (processorTime: Double, allocations: Double)?
  /// The maximum growth of memory in the last half, in bytes, with no descriptor left open.
  var growth: Int?
  /// The number of calls with a response, the number of connections, and the memory in bytes.
  var burst: (answered: Int, connections: Int, bytes: Int)?

  /// The maximum memory above that before, in bytes, and the minimum fraction of the program curl's
  /// speed.
  var large: (bytes: Int, partOfCurl: Double?)?

  /// The maximum time of a call, in nanoseconds.
  var nanoseconds: Int?

  /// The maximum 99th percentile of a small call's time, as a multiple of that on a quiet
  /// transport.
  var delay: Double?

  typealias Verdict = (text: String, isMet: Bool?)

  /// Returns the measured values and verdicts of one client in comparison with others.
  func results(
    for client: Client, in measurement: Measurement
  ) -> [(measured: String, verdict: Verdict)] {
    let comparisons = client == .pipeline || client == .verbsPipeline ? pipelines : beside
    return comparisons.flatMap { $0.results(for: client, in: measurement) }
  }

  func verdictsOnLayer(_ measurement: Measurement) -> [Verdict] {
    guard let layer else { return [] }
    return [
      (
        "≤ \(layer.processorTime.short) µs",
        measurement.layer.map { $0.processorTime <= layer.processorTime }
      ),
      (
        "≤ \(layer.allocations.short) allocations",
        measurement.layer?.allocations.map { $0 <= layer.allocations }
      ),
    ]
  }

  func verdicts(on facts: Facts) -> [Verdict] {
    var verdicts: [Verdict] = []
    if let nanoseconds {
      verdicts.append(
        ("≤ \(nanoseconds) ns", facts[.nanoseconds].map { $0 <= nanoseconds }))
    }
    if let delay {
      let ratio = facts.delay
      verdicts.append(("p99 ≤ \(delay.short) × the quiet one", ratio.map { $0 <= delay }))
    }
    if let growth {
      verdicts.append(("grows < \(growth.mebibytes) MiB", facts[.growth].map { $0 < growth }))
      let isFlat = facts[.descriptorsBefore].flatMap { before in
        facts[.descriptorsAfter].map { $0 <= before }
      }
      verdicts.append(("descriptors flat", isFlat))
    }
    if let burst {
      verdicts.append(("all answered", facts[.answered].map { $0 == burst.answered }))
      verdicts.append(
        ("≤ \(burst.connections) connections", facts[.connections].map { $0 <= burst.connections }))
      verdicts.append(("≤ \(burst.bytes.mebibytes) MiB", facts[.peak].map { $0 <= burst.bytes }))
    }
    if let large {
      let above = facts[.peak].flatMap { peak in facts[.idle].map { peak - $0 } }
      verdicts.append(
        ("≤ \(large.bytes.mebibytes) MiB above idle", above.map { $0 <= large.bytes }))
      if let part = large.partOfCurl {
        verdicts.append(
          ("≥ \((part * 100).short) % of curl", facts.partOfCurl.map { $0 >= part }))
      }
    }
    return verdicts
  }
}

extension Case {
  var goal: Goal {
    switch self {
    case .calls(let traffic): traffic.goal
    case .answeredAtOnce: Goal(layer: (processorTime: 10, allocations: 60))
    case .unheardLog: Goal(nanoseconds: 50)
    case .longRun: Goal(growth: 2 << 20)
    case .burst: Goal(burst: (answered: 10_000, connections: 6, bytes: 150 << 20))
    case .download: Goal(large: (bytes: 40 << 20, partOfCurl: 0.8))
    case .upload: Goal(large: (bytes: 40 << 20, partOfCurl: nil))
    case .slowSubscriber: Goal(delay: 2)
    }
  }
}

extension Traffic {
  fileprivate var goal: Goal {
    switch (wire, connections, size) {
    case (.plain, .kept, .small) where callers == 1:
      Goal(
        beside: [
          Comparison(client: .urlSession, requests: 6, wantsQuiet: true),
          Comparison(client: .asyncHTTPClient, requests: 2, wantsQuiet: true),
        ],
        layer: (processorTime: 10, allocations: 60))
    case (.plain, .kept, .small):
      Goal(
        beside: [
          Comparison(client: .bareCurl, processorTime: 1.6, requests: 0.75),
          Comparison(client: .asyncHTTPClient, requests: 1.4),
        ],
        pipelines: [Comparison(client: .bareCurl, processorTime: 1.5)])
    case (.http1, .new, .small), (.http2, .new, .small): Goal(resumed: Resumption.goal)
    default: Goal()
    }
  }
}

extension Facts {
  /// The measured speed, as a fraction of the program curl's.
  var partOfCurl: Double? {
    guard let own = self[.milliseconds], let peer = self[.peerMilliseconds], own > 0 else {
      return nil
    }
    return Double(peer) / Double(own)
  }

  /// The 99th percentile of a small call's time, as a multiple of that on a quiet transport.
  var delay: Double? {
    guard let beside = self[.beside99], let quiet = self[.quiet99], quiet > 0 else { return nil }
    return Double(beside) / Double(quiet)
  }
}

extension Int {
  var mebibytes: String { (Double(self) / Double(1 << 20)).significant }
}
