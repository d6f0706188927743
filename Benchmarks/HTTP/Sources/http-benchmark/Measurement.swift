/// What was found out about one case.
struct Measurement {
  let workCase: Case
  /// What a call of each client takes.
  var costs: [Client: Cost] = [:]
  /// The part of a client's new connections that resumed a TLS session, from 0 to 1.
  var resumed: [Client: Double] = [:]
  /// What a case alone in its process found.
  var facts = Facts()
  /// How busy the machine was meanwhile.
  var business: Business?

  /// What one call takes.
  struct Cost {
    /// From one call to the next, all callers together, in microseconds; the rounds' median.
    var time: Double
    /// Of all threads, in microseconds; the rounds' median.
    var processorTime: Double
    /// Allocations of all threads; nil where they cannot be counted.
    var allocations: Double?
    /// How long each call took, of all rounds.
    var latencies: Percentiles

    var callsPerSecond: Double { 1_000_000 / time }
  }

  /// How many times the requests a second of another client one has.
  func ratio(of one: Client, to other: Client) -> Double? {
    guard let own = costs[one]?.time, let others = costs[other]?.time else { return nil }
    return others / own
  }

  /// How many times the processor time of another client one takes.
  func processorRatio(of one: Client, to other: Client) -> Double? {
    guard let own = costs[one]?.processorTime, let others = costs[other]?.processorTime else {
      return nil
    }
    return own / others
  }

  /// What RESTKit's verbs add to what they stand on.
  var layer: (processorTime: Double, allocations: Double?)? {
    let (upper, lower): (Client, Client) =
      workCase == .answeredAtOnce ? (.verbsOnAnswer, .answer) : (.verbs, .curlTransport)
    guard let verbs = costs[upper], let bare = costs[lower] else { return nil }
    return (
      verbs.processorTime - bare.processorTime,
      verbs.allocations.flatMap { count in bare.allocations.map { count - $0 } }
    )
  }
}
