import Measuring

/// A measurement of TLS session resumption by new connections, as reported by the server.
enum Resumption {
  /// The minimum fraction for CurlTransport.
  static let goal = 0.9

  /// Returns the fraction of each contender's connections that resume a session, from 0 to 1.
  ///
  /// The first set of calls creates sessions. Only the second set counts.
  ///
  /// - Parameter contenders: The contenders. Their responses have one byte for a resumed session,
  ///   or else none.
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
    // Over HTTP/2, where libcurl 7.88 makes sessions useless by itself, this is only a goal.
    if traffic.wire == .http1, let share = shares[.curlTransport], share < goal {
      throw Unsound("CurlTransport resumed \(Int(share * 100)) % of its TLS sessions")
    }
    return shares
  }
}
