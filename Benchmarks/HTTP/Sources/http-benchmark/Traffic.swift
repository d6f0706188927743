/// The requests of the callers, and the connections that carry them.
struct Traffic: Sendable, Hashable {
  enum Wire: Sendable, CaseIterable {
    /// HTTP/1.1 without TLS.
    case plain
    /// HTTP/1.1 over TLS.
    case http1
    /// HTTP/2 over TLS.
    case http2
  }

  enum Connections: Sendable, CaseIterable {
    case kept
    /// The server closes a connection after its response: after one call over HTTP/1.1, and after
    /// one call of each caller over HTTP/2.
    case new
  }

  enum Size: Sendable, CaseIterable {
    case small
    /// 64 KiB.
    case large
  }

  var wire = Wire.plain
  var connections = Connections.kept
  var size = Size.small
  /// The number of callers, each with one call at a time.
  let callers: Int

  static let numbersOfCallers = [1, 8, 64, 512]

  static let plain = all(over: .plain)

  static let secure = all(over: .http1) + all(over: .http2)

  private static func all(over wire: Wire) -> [Traffic] {
    Connections.allCases.flatMap { connections in
      Size.allCases.flatMap { size in
        numbersOfCallers.map {
          Traffic(wire: wire, connections: connections, size: size, callers: $0)
        }
      }
    }
  }

  var title: String {
    let wire =
      switch wire {
      case .plain: "http"
      case .http1: "https, HTTP/1.1"
      case .http2: "https, HTTP/2"
      }
    return wire + (connections == .new ? ", new connections" : "")
      + (size == .large ? ", 64 KiB" : "") + (callers == 1 ? ", 1 caller" : ", \(callers) callers")
  }

  /// Whether URLSession takes part.
  ///
  /// It cannot trust the peers' certificates, and fails some of many calls whose server ends their
  /// connections.
  var isForURLSession: Bool { wire == .plain && connections == .kept }

  /// Whether the rounds of the case are short, since there are many such cases.
  var isShort: Bool { wire != .plain || connections == .new }

  /// Whether all callers begin at the same time.
  ///
  /// Otherwise, it would not be defined which calls an HTTP/2 connection serves before its end.
  var isTogether: Bool { wire == .http2 && connections == .new }
}
