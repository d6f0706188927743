import Foundation
import RESTKit

extension HAREntry {
  /// The request's header fields.
  public var requestHeaders: HTTPHeaders {
    HTTPHeaders(
      (json["request"]?["headers"]?.array ?? []).compactMap { field in
        guard let name = field["name"]?.string, let value = field["value"]?.string else {
          return nil
        }
        return (name: name, value: value)
      })
  }

  /// The request's body; nil if there was none, or if the file leaves it out.
  public var requestBody: Data? {
    let posted = json["request"]?["postData"]
    // Recordings of tests have bytes that are no text.
    if let bytes = posted?["_base64"]?.string { return Data(base64Encoded: bytes) }
    return posted?["text"]?.string.flatMap { $0.isEmpty ? nil : Data($0.utf8) }
  }

  /// The time at which the request was sent; nil if the file has none.
  public var startedAt: Date? {
    guard let text = json["startedDateTime"]?.string else { return nil }
    return (try? Date(text, strategy: HAR.dateStyle)) ?? (try? Date(text, strategy: .iso8601))
  }

  /// The times of the exchange, and its connection, as far as the file has them.
  public var metrics: ExchangeMetrics {
    let handshake = length("ssl")
    return ExchangeMetrics(
      queued: length("blocked"), nameLookup: length("dns"),
      // HAR counts the handshake as a part of the connect.
      connect: length("connect").map { max($0 - (handshake ?? .zero), .zero) },
      secureConnect: handshake, sending: length("send"), waiting: length("wait"),
      receiving: length("receive"), total: Self.duration(json["time"]),
      remoteAddress: json["serverIPAddress"]?.string,
      httpVersion: json["request"]?["httpVersion"]?.string.flatMap { $0.isEmpty ? nil : $0 })
  }

  private func length(_ phase: String) -> Duration? { Self.duration(json["timings"]?[phase]) }

  /// The duration of a number of milliseconds; nil for -1, which stands for none.
  private static func duration(_ milliseconds: JSONValue?) -> Duration? {
    guard let number = milliseconds?.number, number >= 0, number < 1e15 else { return nil }
    return .microseconds(Int64((number * 1_000).rounded()))
  }
}
