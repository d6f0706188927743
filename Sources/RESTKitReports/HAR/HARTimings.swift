import RESTKit

/// The durations of an exchange's phases in the form of HAR 1.2.
///
/// Durations are in milliseconds, -1 for a phase that does not apply. `connect` includes `ssl`. The
/// other phases add up to the entry's `time`.
struct HARTimings {
  private var blocked = -1.0
  private var dns = -1.0
  private var connect = -1.0
  private var ssl = -1.0
  private var send = 0.0
  private var wait = 0.0
  private var receive = 0.0

  /// - Parameter duration: The total time. Time that no phase covers counts as waiting for a
  ///   connection.
  init(_ metrics: ExchangeMetrics?, duration: Duration) {
    guard let metrics, !metrics.phases.isEmpty else {
      wait = duration.inMilliseconds
      return
    }
    var rest = duration
    func take(_ length: Duration?) -> Double {
      let length = max(length ?? .zero, .zero)
      rest -= length
      return length.inMilliseconds
    }
    let connection = (metrics.connect ?? .zero) + (metrics.secureConnect ?? .zero)
    if metrics.isConnectionReused != true, connection > .zero {
      if let nameLookup = metrics.nameLookup { dns = take(nameLookup) }
      connect = take(connection)
      if let secureConnect = metrics.secureConnect, secureConnect > .zero {
        ssl = secureConnect.inMilliseconds
      }
    }
    for (phase, length) in metrics.phases {
      switch phase {
      case .queued, .nameLookup, .connect, .secureConnect: break
      case .sending: send = take(length)
      case .waiting: wait = take(length)
      case .receiving: receive = take(length)
      }
    }
    blocked = max(rest, .zero).inMilliseconds
  }

  /// The total time of the entry.
  var total: Double {
    [blocked, dns, connect, send, wait, receive].filter { $0 >= 0 }.reduce(0, +)
  }

  var json: JSONValue {
    [
      "blocked": JSONValue(blocked), "dns": JSONValue(dns), "connect": JSONValue(connect),
      "ssl": JSONValue(ssl), "send": JSONValue(send), "wait": JSONValue(wait),
      "receive": JSONValue(receive),
    ]
  }
}

extension Duration {
  /// The duration in milliseconds, with a precision of one microsecond.
  fileprivate var inMilliseconds: Double { Double(inMicroseconds) / 1_000 }
}
