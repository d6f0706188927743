/// The addresses of one host and port, in place of those that the system would look up.
public struct HostAddresses: Sendable, Hashable {
  /// The host's name as URLs have it, in any case; one in another script as in DNS, `xn--…`.
  public var host: String
  /// The port as URLs have it, 443 where an `https` one has none and 80 where an `http` one has none.
  public var port: Int
  /// IPv4 and IPv6 addresses, such as `192.0.2.7` and `2001:db8::7`; where one cannot be connected to,
  /// the next is tried.
  public var addresses: [String]

  /// - Parameters:
  ///   - host: The host's name as URLs have it.
  ///   - port: The port as URLs have it, from 1 to 65535.
  ///   - addresses: One or several IPv4 or IPv6 addresses.
  public init(host: String, port: Int, addresses: [String]) {
    self.host = host
    self.port = port
    self.addresses = addresses
  }
}
