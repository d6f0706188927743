import Foundation

/// Which way a transport's requests take to their servers.
public enum ProxyPolicy: Sendable, Hashable {
  /// As the environment says, in the variables that curl knows.
  ///
  /// `http_proxy` (in lower case only, since a CGI script gets `HTTP_PROXY` from whoever calls it)
  /// is for http, `https_proxy` or `HTTPS_PROXY` for https, `all_proxy` or `ALL_PROXY` for both
  /// where the others are not set. `no_proxy` or `NO_PROXY` lists hosts that are reached directly,
  /// with commas between; a domain stands for its subdomains too, and `*` for every host.
  case environment
  /// Straight to the server, whatever the environment says.
  case none
  /// Through this proxy, whatever the environment says.
  case proxy(ProxyServer)
}

/// A proxy, and what it wants to know.
///
/// Requests to https servers go through it in a tunnel (`CONNECT`, RFC 9110 §9.3.6): it sees the
/// host's name and no more. Those to http servers it sees whole. No text holds the user or password.
public struct ProxyServer: Sendable, Hashable {
  /// Such as `http://proxy.example.com:3128`; schemes are `http`, `https`, `socks5` and `socks5h`,
  /// which has the proxy look names up.
  public var url: URL
  /// Who asks; nil where the proxy takes anybody.
  public var user: String?
  /// The user's password.
  public var password: String?
  /// Hosts that are reached directly; a domain stands for its subdomains too.
  public var bypassedHosts: [String]

  /// - Parameters:
  ///   - url: The proxy's scheme, host and port.
  ///   - user: Who asks; nil where the proxy takes anybody.
  ///   - password: The user's password.
  ///   - bypassedHosts: Hosts that are reached directly.
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
  /// Scheme, host and port; of a URL that lacks one of them, the others.
  var address: String {
    let host = url.host ?? ""
    let isLiteral = host.contains(":") && !host.hasPrefix("[")
    let port = url.port.map { ":\($0)" } ?? ""
    return "\(url.scheme ?? "")://\(isLiteral ? "[\(host)]" : host)\(port)"
  }
}

extension ProxyServer: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The proxy's scheme, host and port, and whether it is told who asks.
  public var description: String {
    address + (user == nil ? "" : ", credentials hidden")
  }

  public var debugDescription: String { description }

  // `dump` would print the password.
  public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}
