import Foundation
import RESTKit
import Streams
import Testing

extension IntegrationTests {
  @Suite("Content encodings")
  struct Encodings {
    @Test("every requested encoding is decoded", arguments: TransportKind.allCases)
    func allAccepted(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      let echo = try await api.get(endpoint: "anything").decode(type: Echo.self).value
      let accepted = try #require(echo.header("Accept-Encoding"))
      #expect(accepted.contains("gzip") && accepted.contains("deflate"))
      // Whether URLSession asks for Brotli is up to the libcurl of the machine.
      for (name, endpoint) in [("gzip", "gzip"), ("deflate", "deflate"), ("br", "brotli")]
      where accepted.contains(name) {
        let response = try await api.get(endpoint: endpoint).value
        let body = try JSONDecoder().decode(Compressed.self, from: response.data)
        #expect([body.gzipped, body.deflated, body.brotli].contains(true), "\(name)")
        #expect(body.method == "GET")
      }
    }

    @Test("a body without its announced encoding is an error", arguments: TransportKind.allCases)
    func brokenEncoding(kind: TransportKind) async throws {
      let api = try HttpbinAPI(kind)
      for encoding in ["gzip", "x-gzip", "deflate", "br", "made-up", "gzip, br"] {
        let call = api.get(
          endpoint: "response-headers",
          query: [URLQueryItem(name: "Content-Encoding", value: encoding)])
        let error = await #expect(throws: RESTError.self, "\(encoding)") { try await call.value }
        #expect(error?.kind == .transport(.undecodableBody), "\(encoding)")
      }
    }

    private struct Compressed: Decodable {
      let method: String
      let gzipped: Bool?
      let deflated: Bool?
      let brotli: Bool?
    }
  }
}
