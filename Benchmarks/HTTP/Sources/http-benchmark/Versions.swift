import Measuring

/// Whether clients speak the version of HTTP that a row names, by the server's word.
enum Versions {
  /// - Parameter contenders: They get what has a byte for a call over HTTP/2, and none for another.
  /// - Throws: ``Unsound`` where one speaks another version, in one call of many.
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
