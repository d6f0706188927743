/// The results of one case.
struct Measurement {
  let workCase: Case
  /// The cost of a call of each client.
  var costs: [Client: Cost] = [:]
  /// The fraction of each client's new connections that resumed a TLS session, from 0 to 1.
  var resumed: [Client: Double] = [:]
  /// The facts of a case that ran in its own process.
  var facts = Facts()
  /// The load of the machine during the measurement.
  var business: Business?

  /// The cost of one call.
  struct Cost {
    /// The time from one call to the next, of all callers together, in microseconds: the rounds'
    /// median.
    var time: Double
    /// The processor time of all threads, in microseconds: the rounds' median.
    var processorTime: Double
    /// The switches of threads, of both kinds that the system counts: the rounds' median.
    var switches: Double
    /// The allocations of all threads, or nil if they cannot be counted.
    var allocations: Double?
    /// The times of the calls, from all rounds.
    var latencies: Percentiles

    var callsPerSecond: Double { 1_000_000 / time }
  }

  /// Returns one client's requests a second divided by those of another client.
  func ratio(of one: Client, to other: Client) -> Double? {
    guard let own = costs[one]?.time, let others = costs[other]?.time else { return nil }
    return others / own
  }

  /// Returns one client's processor time divided by that of another client.
  func processorRatio(of one: Client, to other: Client) -> Double? {
    guard let own = costs[one]?.processorTime, let others = costs[other]?.processorTime else {
      return nil
    }
    return own / others
  }

  /// The cost that RESTKit's verbs add to their transport.
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
