import Foundation
import RESTKit

extension Recipes {
  #if os(Linux)
    // snippet: authority
    func inside(authorities: URL) throws -> CurlTransport {
      var tls = TLSOptions()
      tls.authorities = .systemAndFile(authorities)
      return try CurlTransport(tls: tls)
    }
    // end

    // snippet: pin
    func pinned(to digests: [String]) throws -> CurlTransport {
      var tls = TLSOptions()
      tls.pinnedPublicKeys = digests  // the server's key, and one that is kept in a safe
      return try CurlTransport(tls: tls)
    }
    // end

    // snippet: client-certificate
    func identified(certificate: URL, key: URL) throws -> CurlTransport {
      var tls = TLSOptions()
      tls.clientCertificate = ClientCertificate(certificate: certificate, key: key)
      return try CurlTransport(tls: tls)
    }
    // end

    // snippet: proxy
    func throughProxy(_ address: URL) throws -> CurlTransport {
      try CurlTransport(
        proxy: .proxy(ProxyServer(address, bypassedHosts: ["localhost", "example.internal"])))
    }
    // end

    // snippet: limits
    func forLargeResponses() throws -> CurlTransport {
      var limits = TransportLimits()
      limits.bodyBytes = 512 << 20
      return try CurlTransport(limits: limits)
    }
  // end
  #endif

  // snippet: no-redirects
  func login(transport: any Transport) -> ShopAPI {
    ShopAPI(baseURL: "https://id.example.com", transport: transport, redirects: .never)
  }
  // end
}
