/// Where the time of an exchange went, and over which connection.
///
/// Each time is counted from the moment the transport began to work on the exchange, its wait for a
/// free connection excluded; nil is what the transport does not measure. `CurlTransport` measures
/// all, `URLSessionTransport` the first byte and the total.
public struct ExchangeMetrics: Sendable, Hashable {
  /// Until the name was looked up; zero on a connection that was kept alive.
  public var nameLookup: Duration?
  /// Until the connection stood; zero on a connection that was kept alive.
  public var connect: Duration?
  /// Until the TLS handshake was done; zero without one.
  public var secureConnect: Duration?
  /// Until the first byte of the response.
  public var firstByte: Duration?
  /// Until the last byte.
  public var total: Duration?
  /// Whether the request went over a connection that was kept alive.
  public var isConnectionReused: Bool?
  /// The address and port that were connected to, such as `192.0.2.7:443` or `[2001:db8::7]:443`;
  /// through a proxy, the proxy's; `unix:/run/docker.sock` for a unix socket.
  public var remoteAddress: String?
  /// Such as `HTTP/2`.
  public var httpVersion: String?

  public init(
    nameLookup: Duration? = nil, connect: Duration? = nil, secureConnect: Duration? = nil,
    firstByte: Duration? = nil, total: Duration? = nil, isConnectionReused: Bool? = nil,
    remoteAddress: String? = nil, httpVersion: String? = nil
  ) {
    self.nameLookup = nameLookup
    self.connect = connect
    self.secureConnect = secureConnect
    self.firstByte = firstByte
    self.total = total
    self.isConnectionReused = isConnectionReused
    self.remoteAddress = remoteAddress
    self.httpVersion = httpVersion
  }
}

extension ExchangeMetrics: CustomStringConvertible {
  /// What is known, such as `HTTP/2, 192.0.2.7:443, reused, first byte 8.1 ms, total 8.4 ms`.
  public var description: String {
    let connection = [
      httpVersion, remoteAddress, isConnectionReused.map { $0 ? "reused" : "new connection" },
    ]
    let times = [
      ("name", nameLookup), ("connect", connect), ("TLS", secureConnect),
      ("first byte", firstByte), ("total", total),
    ]
    let words = times.compactMap { name, time in
      time.flatMap { $0 > .zero ? "\(name) \(Self.milliseconds($0)) ms" : nil }
    }
    return (connection.compactMap { $0 } + words).joined(separator: ", ")
  }

  /// To a tenth, rounded down.
  private static func milliseconds(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
