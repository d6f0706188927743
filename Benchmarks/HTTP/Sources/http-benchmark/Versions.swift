import Measuring

/// A check that clients use the HTTP version of a row, as reported by the server.
enum Versions {
  /// - Parameter contenders: The contenders. Their responses have one byte for a call over HTTP/2,
  ///   and none for another call.
  /// - Throws: ``Unsound`` if a contender uses another version, even in one call of many.
  static func check(_ contenders: [Contender], _ traffic: Traffic) async throws {
    let load = Load(
      calls: traffic.callers * 2, callers: traffic.callers, isTogether: traffic.isTogether)
    for contender in contenders {
      let calls = try await contender.run(load).bytes
      guard calls == (traffic.wire == .http2 ? load.calls : 0) else {
        throw Unsound(
          "\(contender.client.rawValue) made \(calls) of \(load.calls) calls over HTTP/2")
      }
    }
  }
}
