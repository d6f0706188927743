/// Where a transport's connections go.
///
/// It changes nothing else of a request: the URL's host is the one that the server is told, and that
/// its certificate must name. Transports share no connections, so none goes where another one's go.
public enum AddressPolicy: Sendable, Hashable {
  /// To the addresses that the system has for a host.
  case system
  /// To the socket at this path, whatever host and port a URL names, a redirect's included.
  ///
  /// The path begins at the root and has 107 bytes at most; the socket need not be there yet. The
  /// transport speaks HTTP/1.1, over TLS where the URL says `https`, and uses no proxy, whatever the
  /// environment says.
  case unixSocket(String)
  /// To these addresses where a URL has the host and port of an entry; to the system's elsewhere.
  ///
  /// An entry stands in for a look-up that this machine makes: of the server, of a proxy, or of the
  /// server behind a `socks5` proxy. The other proxies look up the server themselves.
  case fixed([HostAddresses])
}
