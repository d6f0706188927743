import Measuring

/// Whether new connections resume the TLS sessions of those before them, by the server's word.
enum Resumption {
  /// What CurlTransport is to reach.
  static let goal = 0.9

  /// The part of each contender's connections that resume a session, from 0 to 1.
  ///
  /// The first set of calls makes sessions; the second one is what counts.
  ///
  /// - Parameter contenders: They get what has a byte for a resumed session, and none for another.
  static func shares(
    of contenders: [Contender], _ traffic: Traffic
  ) async throws -> [Client: Double] {
    let load = Load(
      calls: traffic.callers * max(3, 24 / traffic.callers), callers: traffic.callers,
      isTogether: traffic.isTogether)
    var shares: [Client: Double] = [:]
    for contender in contenders {
      _ = try await contender.run(load)
      shares[contender.client] = Double(try await contender.run(load).bytes) / Double(load.calls)
    }
    // Over HTTP/2 many connections begin before the first one has a session, so there it is a goal.
    if traffic.wire == .http1, let share = shares[.curlTransport], share < goal {
      throw Unsound("CurlTransport resumed \(Int(share * 100)) % of its TLS sessions")
    }
    return shares
  }
}
