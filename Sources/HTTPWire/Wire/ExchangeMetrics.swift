import Foundation

/// The durations of an exchange's phases, and the connection that the exchange used.
///
/// The phases follow each other, from the moment at which the transport received the request to the
/// last byte of the response. Together they take ``total``. A phase that did not happen is zero: a
/// kept-alive connection needs no lookup, no connect and no TLS handshake. A phase is nil if the
/// transport does not report it; its time is still part of the total.
///
/// `CurlTransport` measures all phases. `URLSessionTransport` on Linux measures ``receiving`` and
/// ``total``.
public struct ExchangeMetrics: Sendable, Hashable {
  /// The wait for a connection: until one was free, or until another call had made one that this
  /// call shares.
  public var queued: Duration?
  /// The lookup of the server's or the proxy's name.
  public var nameLookup: Duration?
  /// The TCP connect, including the tunnel through a proxy.
  public var connect: Duration?
  /// The TLS handshake with the server, or zero without TLS.
  public var secureConnect: Duration?
  /// The time from the first to the last byte of the request, as the system accepts them.
  public var sending: Duration?
  /// The time from the last byte of the request to the first byte of the response, or zero if the
  /// response began earlier.
  public var waiting: Duration?
  /// The time from the first to the last byte of the response.
  public var receiving: Duration?
  /// The total time.
  public var total: Duration?
  /// Whether the request used a kept-alive connection or a connection that another call had made.
  public var isConnectionReused: Bool?
  /// The address and port of the connection, such as `192.0.2.7:443` or `[2001:db8::7]:443`.
  ///
  /// Through a proxy, it is the proxy's address; for a unix socket, it is a text such as
  /// `unix:/run/docker.sock`.
  public var remoteAddress: String?
  /// The HTTP version, such as `HTTP/2`.
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

  /// The time until the first byte of the response, or nil if the transport does not report it.
  public var firstByte: Duration? {
    guard let total, let receiving else { return nil }
    return total - receiving
  }
}

extension ExchangeMetrics {
  /// The time until the request was sent, as far as the transport reports it.
  package var beforeSending: Duration {
    [queued, nameLookup, connect, secureConnect].compactMap(\.self).reduce(.zero, +)
  }
}

extension ExchangeMetrics: CustomStringConvertible {
  /// The known values, such as
  /// `HTTP/2, 192.0.2.7:443, reused, waiting 8.1 ms, receiving 0.3 ms, total 8.4 ms`.
  ///
  /// A phase shorter than a tenth of a millisecond is left out.
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

  /// Returns milliseconds with one decimal place, rounded down.
  private static func milliseconds(_ time: Duration) -> String {
    let (seconds, attoseconds) = time.components
    let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}

extension ExchangeMetrics {
  /// A phase of an exchange.
  package enum Phase: CaseIterable, Sendable {
    case queued, nameLookup, connect, secureConnect, sending, waiting, receiving
  }

  /// The known phases in order, with lengths that are never negative.
  ///
  /// If the transport does not report the wait for the response, the rest of the total counts as
  /// that wait.
  package var phases: [(phase: Phase, length: Duration)] {
    var lengths = Phase.allCases.compactMap { phase in
      length(of: phase).map { (phase: phase, length: max($0, .zero)) }
    }
    if waiting == nil, let total {
      let rest = total - lengths.reduce(Duration.zero) { $0 + $1.length }
      let place = lengths.last?.phase == .receiving ? lengths.count - 1 : lengths.count
      lengths.insert((phase: .waiting, length: max(rest, .zero)), at: place)
    }
    return lengths
  }

  private func length(of phase: Phase) -> Duration? {
    switch phase {
    case .queued: queued
    case .nameLookup: nameLookup
    case .connect: connect
    case .secureConnect: secureConnect
    case .sending: sending
    case .waiting: waiting
    case .receiving: receiving
    }
  }
}

/// The other end of a connection, parsed from ``ExchangeMetrics/remoteAddress``.
package enum PeerAddress: Sendable, Equatable {
  case internet(address: String, port: Int?)
  case unixSocket(path: String)

  /// - Returns: The address, or nil if the text has neither form.
  package init?(_ text: String) {
    let scheme = "unix:"
    if text.hasPrefix(scheme) {
      self = .unixSocket(path: String(text.dropFirst(scheme.count)))
    } else if let colon = text.lastIndex(of: ":") {
      self = .internet(
        address: text[..<colon].trimmingCharacters(in: ["[", "]"]),
        port: UInt16(text[text.index(after: colon)...]).map { Int($0) })
    } else {
      return nil
    }
  }
}
