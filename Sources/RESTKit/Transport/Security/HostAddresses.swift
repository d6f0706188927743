/// The addresses of one host and port, which replace the system's lookup.
public struct HostAddresses: Sendable, Hashable {
  /// The host's name as in URLs, in any case.
  ///
  /// A name in another script is in its DNS form, `xn--…`.
  public var host: String
  /// The port as in URLs: 443 for an `https` URL without a port, and 80 for an `http` URL without a port.
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
