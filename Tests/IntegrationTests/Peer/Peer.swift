import Foundation
import RESTKit
import Testing

/// The addresses and files of nginx, the proxies and their certificates, from `run.sh`.
enum Peer: String, CaseIterable, CustomTestStringConvertible {
  case plain = "RESTKIT_NGINX_URL"
  case tls = "RESTKIT_NGINX_TLS_URL"
  case http2 = "RESTKIT_NGINX_HTTP2_URL"
  case expired = "RESTKIT_NGINX_EXPIRED_URL"
  case future = "RESTKIT_NGINX_FUTURE_URL"
  case wrongHost = "RESTKIT_NGINX_WRONG_HOST_URL"
  case selfSigned = "RESTKIT_NGINX_SELF_SIGNED_URL"
  case clientCertificate = "RESTKIT_NGINX_CLIENT_CERTIFICATE_URL"
  case tls12 = "RESTKIT_NGINX_TLS_1_2_URL"
  /// One request for each connection.
  case once = "RESTKIT_NGINX_ONCE_URL"
  case onceHTTP2 = "RESTKIT_NGINX_ONCE_HTTP2_URL"
  case demandingTLS12 = "RESTKIT_DEMANDING_TLS_1_2_URL"
  case demandingTLS13 = "RESTKIT_DEMANDING_TLS_1_3_URL"
  case late = "RESTKIT_LATE_URL"

  case refusing = "RESTKIT_REFUSING_URL"
  /// The live streams with HTTP/2.
  case hypercorn = "RESTKIT_HYPERCORN_URL"

  case events = "RESTKIT_EVENTS_URL"
  case eventsPython = "RESTKIT_EVENTS_PYTHON"
  case eventsServer = "RESTKIT_EVENTS_SERVER"

  /// The folder of `/files/logs/`.
  case logs = "RESTKIT_NGINX_LOGS"
  case socket = "RESTKIT_NGINX_SOCKET"
  case tlsSocket = "RESTKIT_NGINX_TLS_SOCKET"

  case authority = "RESTKIT_NGINX_CA"
  case otherAuthority = "RESTKIT_NGINX_OTHER_CA"
  case selfSignedCertificate = "RESTKIT_NGINX_SELF_SIGNED"
  case pin = "RESTKIT_NGINX_PIN"
  case otherPin = "RESTKIT_NGINX_OTHER_PIN"
  case certificate = "RESTKIT_CLIENT_CERTIFICATE"
  case key = "RESTKIT_CLIENT_KEY"
  case encryptedKey = "RESTKIT_CLIENT_ENCRYPTED_KEY"
  case passphrase = "RESTKIT_CLIENT_PASSPHRASE"
  case strangerCertificate = "RESTKIT_STRANGER_CERTIFICATE"
  case strangerKey = "RESTKIT_STRANGER_KEY"

  case proxy = "RESTKIT_PROXY_URL"
  case proxyWithPassword = "RESTKIT_PROXY_WITH_PASSWORD_URL"
  case proxyWithTLS = "RESTKIT_PROXY_WITH_TLS_URL"
  case proxyCredentials = "RESTKIT_PROXY_CREDENTIALS"
  /// A host that only the proxies find, and that is nginx.
  case proxiedHost = "RESTKIT_PROXY_NAME"

  static let areThere = ProcessInfo.processInfo.environment[Peer.plain.rawValue] != nil

  var text: String {
    get throws { try #require(ProcessInfo.processInfo.environment[rawValue], "\(rawValue)") }
  }

  var file: URL { get throws { URL(filePath: try text) } }

  var url: URL { get throws { try #require(URL(string: text)) } }

  /// The same server under the host that only a proxy finds.
  var proxiedText: String {
    get throws {
      try text.replacingOccurrences(of: "127.0.0.1", with: Peer.proxiedHost.text)
    }
  }

  var testDescription: String { "\(self)" }
}

/// An API at any address, through any transport.
struct PeerAPI: RESTAPI {
  let baseURL: String
  let transport: any Transport
  var redirects = RedirectPolicy.follow

  init(_ baseURL: String, _ transport: any Transport, redirects: RedirectPolicy = .follow) {
    self.baseURL = baseURL
    self.transport = transport
    self.redirects = redirects
  }
}

/// nginx's description of a request, from `/echo`.
struct NginxEcho: Decodable, Sendable {
  let method: String
  let target: String
  let `protocol`: String
  let host: String
  let length: String
  let contentType: String
  let userAgent: String
  let test: String
  /// "peers" where the request came through the proxy.
  let via: String
  let tls: String
  /// "r" where the connection resumed a TLS session, "." where it did not.
  let resumed: String
  /// The name in the client's certificate.
  let client: String
  /// Counts connections, of all of nginx.
  let connection: String
  /// Counts requests of the connection.
  let requests: String
}
