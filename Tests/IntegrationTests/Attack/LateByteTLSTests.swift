import Streams

#if os(Linux)
  import Foundation
  import RESTKit
  import Testing

  extension IntegrationTests.Nginx {
    /// URLSession trusts the system's authorities alone, so it cannot be tried with a peer of ours.
    @Suite("Bytes after a response, over TLS")
    struct LateOverTLS {
      private func api() throws -> PeerAPI {
        var tls = TLSOptions()
        tls.authorities = .file(try Peer.authority.file)
        return PeerAPI(try Peer.late.text, try CurlTransport(tls: tls))
      }

      @Test(
        "SEC-09: over TLS, the next call, even a POST, receives its own response over another connection",
        arguments: ["poison", "timeout", "line-end", "close", "reset"])
      func nextCall(kind: String) async throws {
        var wrong: [String] = []
        for method in [HTTPMethod.get, .post] {
          for milliseconds in [0, 5, 100, 300] {
            let key = "\(kind)-\(method)-\(milliseconds)-\(UInt64.random(in: 0...UInt64.max))"
            let api = try api()
            let first = await api.outcome(.get, "late/\(kind)/\(milliseconds)/\(key)")
            #expect(first == .response(200, Data("good".utf8)))
            // Uses its own connection.
            _ = try await self.api().outcome(.get, "wait/\(key)", seconds: 20)
            let next = await api.outcome(
              method, "next", body: method == .post ? Data("x".utf8) : nil)
            if next != .response(200, Data("good".utf8)) {
              wrong.append("\(method) after \(milliseconds) ms: \(next)")
            }
          }
        }
        #expect(wrong.isEmpty, "\(wrong)")
      }

      @Test("TLS messages after a handshake do not close a connection")
      func tickets() async throws {
        let api = PeerAPI(try Peer.tls.text, try transportOfNginx())
        var connections: Set<String> = []
        for _ in 0..<4 {
          let echo = try await api.get(endpoint: "echo").decode(type: NginxEcho.self).value
          connections.insert(echo.connection)
        }
        #expect(connections.count == 1)
      }

      private func transportOfNginx() throws -> CurlTransport {
        var tls = TLSOptions()
        tls.authorities = .file(try Peer.authority.file)
        return try CurlTransport(tls: tls)
      }

      @Test(
        "SEC-09: a body that ends at the close is whole only with a TLS close (RFC 9112 §9.8)",
        arguments: [false, true])
      func end(inPieces: Bool) async throws {
        let whole = try await api().outcome(.get, "certain", inPieces: inPieces)
        #expect(whole == .response(200, Data("hello".utf8)))
        let cut = try await api().outcome(.get, "uncertain", inPieces: inPieces)
        #expect(cut.name == "bodyCut", "\(cut)")
      }
    }
  }
#endif
