/// What callers ask for, and over which connections.
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
    /// The server ends a connection once it has answered: one call over HTTP/1.1, and over HTTP/2 one of
    /// each caller.
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
  /// How many there are, each with one call at a time.
  let callers: Int

  static let numbersOfCallers = [1, 8, 64]

  static let plain = numbersOfCallers.map { Traffic(callers: $0) }

  static let secure = [Wire.http1, .http2].flatMap { wire in
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

  /// Whether all callers begin at the same time: else there is no saying which calls a connection of
  /// HTTP/2 serves before its end.
  var isTogether: Bool { wire == .http2 && connections == .new }
}
