import Measuring

/// What a case is to reach.
struct Goal {
  /// How many times another client's throughput CurlTransport has.
  var times: [Client: Double] = [:]
  /// What RESTKit's layer may take: microseconds of a processor, and allocations.
  var layer: (processorTime: Double, allocations: Double)?
  /// Bytes by which the last half may grow; no descriptor may stay.
  var growth: Int?
  /// How many are answered, over so many connections, in so many bytes.
  var burst: (answered: Int, connections: Int, bytes: Int)?

  /// Bytes above what is in use before, and the part of the program curl's speed, if any.
  var large: (bytes: Int, partOfCurl: Double?)?

  /// Nanoseconds for a call.
  var nanoseconds: Int?

  typealias Verdict = (text: String, isMet: Bool?)

  func verdict(on measurement: Measurement, against client: Client) -> Verdict? {
    times[client].map { factor in
      let text = factor < 1 ? "≥ \((factor * 100).short) %" : "≥ \(factor.short) ×"
      return (text, measurement.ratio(of: .curlTransport, to: client).map { $0 >= factor })
    }
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
    case .oneCaller:
      Goal(
        times: [.urlSession: 6, .asyncHTTPClient: 1.5, .bareCurl: 0.6],
        layer: (processorTime: 10, allocations: 60))
    case .eightCallers, .manyCallers:
      Goal(times: [.urlSession: 8, .asyncHTTPClient: 2, .bareCurl: 0.6])
    case .answeredAtOnce: Goal(layer: (processorTime: 10, allocations: 60))
    case .unheardLog: Goal(nanoseconds: 50)
    case .longRun: Goal(growth: 2 << 20)
    case .burst: Goal(burst: (answered: 10_000, connections: 6, bytes: 150 << 20))
    case .download: Goal(large: (bytes: 40 << 20, partOfCurl: 0.8))
    case .upload: Goal(large: (bytes: 40 << 20, partOfCurl: nil))
    }
  }
}

extension Facts {
  /// How fast it was, with the program curl as the measure.
  var partOfCurl: Double? {
    guard let own = self[.milliseconds], let peer = self[.peerMilliseconds], own > 0 else {
      return nil
    }
    return Double(peer) / Double(own)
  }
}

extension Int {
  var mebibytes: String { (Double(self) / Double(1 << 20)).significant }
}
