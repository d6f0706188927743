extension ExchangeMetrics {
  /// A phase of an exchange.
  package enum Phase: CaseIterable, Sendable {
    case queued, nameLookup, connect, secureConnect, sending, waiting, receiving
  }

  /// The known phases in order, with lengths that are never negative.
  ///
  /// If the transport does not report the wait for the response, the rest of the total counts as that wait.
  package var phases: [(phase: Phase, length: Duration)] {
    var lengths = Phase.allCases.compactMap { phase in
      length(of: phase).map { (phase: phase, length: max($0, .zero)) }
    }
    if waiting == nil, let total {
      let rest = total - lengths.reduce(Duration.zero) { $0 + $1.length }
      let place = lengths.last?.phase == .receiving ? lengths.count - 1 : lengths.count
      lengths.insert((phase: .waiting, length: max(rest, .zero)), at: place)
    }
    return lengths
  }

  private func length(of phase: Phase) -> Duration? {
    switch phase {
    case .queued: queued
    case .nameLookup: nameLookup
    case .connect: connect
    case .secureConnect: secureConnect
    case .sending: sending
    case .waiting: waiting
    case .receiving: receiving
    }
  }
}
