/// The destinations of a transport's connections.
///
/// The policy changes nothing else of a request: the server receives the URL's host, and its
/// certificate must name that host. Transports share no connections, so each one uses only its own
/// policy.
public enum AddressPolicy: Sendable, Hashable {
  /// The addresses that the system knows for a host.
  case system
  /// The socket at this path, for any host and port of a URL, including those of a redirect.
  ///
  /// The path is absolute and has at most 107 bytes. The socket may be created later. The transport
  /// uses HTTP/1.1, with TLS if the URL has the scheme `https`. It uses no proxy, regardless of the
  /// environment.
  case unixSocket(String)
  /// These addresses if the URL has the host and port of an entry, otherwise the system's.
  ///
  /// An entry replaces a lookup on this machine: of the server, of a proxy, or of the server behind
  /// a `socks5` proxy. Other proxies look up the server themselves.
  case fixed([HostAddresses])
}

/// The addresses of one host and port, which replace the system's lookup.
public struct HostAddresses: Sendable, Hashable {
  /// The host's name as in URLs, in any case.
  ///
  /// A name in another script is in its DNS form, `xn--…`.
  public var host: String
  /// The port as in URLs: 443 for an `https` URL without a port, and 80 for an `http` URL without a
  /// port.
  public var port: Int
  /// IPv4 and IPv6 addresses, such as `192.0.2.7` and `2001:db8::7`.
  ///
  /// If a connection to one fails, the next one is tried.
  public var addresses: [String]

  /// - Parameters:
  ///   - host: The host's name as in URLs.
  ///   - port: The port as in URLs, from 1 to 65535.
  ///   - addresses: One or several IPv4 or IPv6 addresses.
  public init(host: String, port: Int, addresses: [String]) {
    self.host = host
    self.port = port
    self.addresses = addresses
  }
}
