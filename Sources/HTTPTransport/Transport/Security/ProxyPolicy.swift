import Foundation
import HTTPWire

/// The choice of a proxy for a transport's requests.
public enum ProxyPolicy: Sendable, Hashable {
  /// The proxy in the environment variables that curl uses.
  ///
  /// `http_proxy` is for http. It counts in lower case only, since the client of a CGI script
  /// controls `HTTP_PROXY`. `https_proxy` or `HTTPS_PROXY` is for https. `all_proxy` or `ALL_PROXY`
  /// is for both, if the others are not set. `no_proxy` or `NO_PROXY` lists the hosts without a
  /// proxy, separated by commas. A domain includes its subdomains, and `*` means every host.
  case environment
  /// No proxy, regardless of the environment.
  case none
  /// This proxy, regardless of the environment.
  case proxy(ProxyServer)
}

/// A proxy with its credentials and exceptions.
///
/// Requests to https servers use a tunnel through the proxy (`CONNECT`, RFC 9110 §9.3.6), so that
/// it sees only the host's name. It sees requests to http servers completely. The descriptions
/// never contain the user or the password.
public struct ProxyServer: Sendable, Hashable {
  /// The proxy's URL, such as `http://proxy.example.com:3128`.
  ///
  /// The schemes are `http`, `https`, `socks5` and `socks5h`; with `socks5h`, the proxy looks up
  /// names.
  public var url: URL
  /// The user's name, or nil if the proxy requires none.
  public var user: String?
  /// The user's password.
  public var password: String?
  /// The hosts without the proxy.
  ///
  /// A domain includes its subdomains.
  public var bypassedHosts: [String]

  /// - Parameters:
  ///   - url: The proxy's scheme, host and port.
  ///   - user: The user's name, or nil if the proxy requires none.
  ///   - password: The user's password.
  ///   - bypassedHosts: The hosts without the proxy.
  public init(
    _ url: URL, user: String? = nil, password: String? = nil, bypassedHosts: [String] = []
  ) {
    self.url = url
    self.user = user
    self.password = password
    self.bypassedHosts = bypassedHosts
  }
}

extension ProxyServer {
  /// The scheme, host and port, as far as the URL has them.
  var address: String {
    let host = url.host ?? ""
    let isLiteral = host.contains(":") && !host.hasPrefix("[")
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.scheme ?? "")://\(isLiteral ? "[\(host)]" : host)\(port)"
  }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The proxy's scheme, host and port, and whether there are credentials.
  public var description: String {
    address.printable + (user == nil ? "" : ", credentials hidden")
  }

  public var debugDescription: String { description }

  // `dump` would print the password.
  public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}
