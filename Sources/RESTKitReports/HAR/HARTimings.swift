import RESTKit

/// Where the time of an exchange went, as HAR 1.2 has it.
///
/// Lengths are in milliseconds, -1 for what does not apply. `connect` includes `ssl`, and the others
/// add up to the entry's `time`.
struct HARTimings {
  private var blocked = -1.0
  private var dns = -1.0
  private var connect = -1.0
  private var ssl = -1.0
  private var wait = 0.0
  private var receive = 0.0

  /// - Parameter duration: The whole time, what the exchange waited for a connection included.
  init(_ metrics: ExchangeMetrics?, duration: Duration) {
    let all = duration.inMilliseconds
    guard let firstByte = metrics?.firstByte?.inMilliseconds else {
      wait = all
      return
    }
    let total = max(metrics?.total?.inMilliseconds ?? firstByte, firstByte)
    let named = metrics?.nameLookup?.inMilliseconds ?? 0
    let connected = max(metrics?.connect?.inMilliseconds ?? 0, named)
    let secured = max(metrics?.secureConnect?.inMilliseconds ?? 0, connected)
    blocked = max(all - total, 0)
    if metrics?.isConnectionReused != true, secured > 0 {
      dns = named
      connect = secured - named
      if secured > connected { ssl = secured - connected }
    }
    wait = max(firstByte - secured, 0)
    receive = total - firstByte
  }

  /// The time of the entry.
  var total: Double { [blocked, dns, connect, wait, receive].filter { $0 >= 0 }.reduce(0, +) }

  var json: JSONValue {
    [
      "blocked": JSONValue(blocked), "dns": JSONValue(dns), "connect": JSONValue(connect),
      "ssl": JSONValue(ssl), "send": 0, "wait": JSONValue(wait), "receive": JSONValue(receive),
    ]
  }
}

extension Duration {
  /// To a microsecond.
  fileprivate var inMilliseconds: Double { Double(inMicroseconds) / 1_000 }
}
