/// Where the time of an exchange went, and over which connection.
///
/// The phases follow each other, from the moment at which the transport got the request to the last byte
/// of the response, and add up to ``total``. One that did not happen is zero: on a connection that was
/// kept alive nothing is looked up, connected and secured. Nil is what the transport does not tell, and a
/// part of the total all the same.
///
/// `CurlTransport` measures all of it, `URLSessionTransport` on Linux ``receiving`` and ``total``.
public struct ExchangeMetrics: Sendable, Hashable {
  /// The wait for a connection: until one was free, or until another call's was made that this one
  /// shares.
  public var queued: Duration?
  /// The lookup of the name, the server's or the proxy's.
  public var nameLookup: Duration?
  /// The connection over TCP, with the tunnel through a proxy.
  public var connect: Duration?
  /// The TLS handshake with the server; zero without TLS.
  public var secureConnect: Duration?
  /// From the first byte of the request to its last, as the system takes them.
  public var sending: Duration?
  /// From the last byte of the request to the first of the response; zero where the response began
  /// before.
  public var waiting: Duration?
  /// From the first byte of the response to its last.
  public var receiving: Duration?
  /// The whole time.
  public var total: Duration?
  /// Whether the request went over a connection that was kept alive, or that another call had made.
  public var isConnectionReused: Bool?
  /// The address and port that were connected to, such as `192.0.2.7:443` or `[2001:db8::7]:443`;
  /// through a proxy, the proxy's; `unix:/run/docker.sock` for a unix socket.
  public var remoteAddress: String?
  /// Such as `HTTP/2`.
  public var httpVersion: String?

  public init(
    queued: Duration? = nil, nameLookup: Duration? = nil, connect: Duration? = nil,
    secureConnect: Duration? = nil, sending: Duration? = nil, waiting: Duration? = nil,
    receiving: Duration? = nil, total: Duration? = nil, isConnectionReused: Bool? = nil,
    remoteAddress: String? = nil, httpVersion: String? = nil
  ) {
    self.queued = queued
    self.nameLookup = nameLookup
    self.connect = connect
    self.secureConnect = secureConnect
    self.sending = sending
    self.waiting = waiting
    self.receiving = receiving
    self.total = total
    self.isConnectionReused = isConnectionReused
    self.remoteAddress = remoteAddress
    self.httpVersion = httpVersion
  }

  /// The time until the first byte of the response; nil where the transport does not tell it.
  public var firstByte: Duration? {
    guard let total, let receiving else { return nil }
    return total - receiving
  }
}

extension ExchangeMetrics: CustomStringConvertible {
  /// What is known, such as `HTTP/2, 192.0.2.7:443, reused, waiting 8.1 ms, receiving 0.3 ms,
  /// total 8.4 ms`.
  ///
  /// A phase of less than a tenth of a millisecond is left out.
  public var description: String {
    let connection = [
      httpVersion, remoteAddress, isConnectionReused.map { $0 ? "reused" : "new connection" },
    ]
    let phases = [
      ("queued", queued), ("name lookup", nameLookup), ("connect", connect), ("TLS", secureConnect),
      ("sending", sending), ("waiting", waiting), ("receiving", receiving),
    ]
    let words = phases.compactMap { name, time in
      time.flatMap { $0 >= .microseconds(100) ? "\(name) \(Self.milliseconds($0)) ms" : nil }
    }
    let whole = total.map { "total \(Self.milliseconds($0)) ms" }
    return (connection.compactMap { $0 } + words + [whole].compactMap { $0 })
      .joined(separator: ", ")
  }

  /// To a tenth, rounded down.
  private static func milliseconds(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
