#if os(Linux)
  import Foundation
  import RESTKit
  import Streams
  import Testing

  extension IntegrationTests.Nginx {
    @Suite("Trust in servers")
    struct Trust {
      private func api(
        _ peer: Peer, _ change: (inout TLSOptions) throws -> Void = { _ in }
      ) throws -> PeerAPI {
        var tls = TLSOptions()
        tls.authorities = .file(try Peer.authority.file)
        try change(&tls)
        return PeerAPI(try peer.text, try CurlTransport(tls: tls))
      }

      private func fault(_ api: PeerAPI) async throws -> TransportError {
        let error = try #require(
          await #expect(throws: RESTError.self) { try await api.get(endpoint: "json").value })
        return try #require(error.underlyingError as? TransportError)
      }

      @Test("SEC-14: a valid certificate of a configured authority is trusted")
      func good() async throws {
        for peer in [Peer.tls, .http2, .tls12] {
          let response = try await api(peer).get(endpoint: "json").value
          #expect(response.statusCode == 200, "\(peer)")
        }
      }

      @Test(
        "SEC-14: an invalid certificate is an error with the reason, and nothing is sent",
        arguments: [
          (.expired, .certificateExpired, "has expired"),
          (.future, .certificateNotYetValid, "is not valid yet"),
          (.wrongHost, .wrongHost, "is for another host"),
          (.selfSigned, .selfSigned, "is self-signed"),
        ] as [(Peer, TransportError.TLSReason, String)])
      func bad(peer: Peer, failure: TransportError.TLSReason, words: String) async throws {
        let fault = try await fault(api(peer))
        #expect(fault.kind == .tlsFailed(failure))
        #expect(!fault.mayHaveBeenProcessed)
        #expect(fault.description.contains(words))
      }

      @Test(
        "SEC-14: an invalid certificate is never retried", arguments: [Peer.expired, .wrongHost])
      func once(peer: Peer) async throws {
        let before = try await connectionNumber()
        _ = try await fault(api(peer))
        let after = try await connectionNumber()
        #expect(after - before == 2, "one connection for the failure, one for the question")
      }

      /// nginx counts all its connections; a fresh transport makes one.
      private func connectionNumber() async throws -> Int {
        let echo = try await PeerAPI(try Peer.plain.text, try CurlTransport()).get(endpoint: "echo")
          .decode(type: NginxEcho.self).value
        return try #require(Int(echo.connection))
      }

      @Test("SEC-14: authorities that are not configured are not trusted")
      func untrusted() async throws {
        for authorities in [TLSOptions.Authorities.system, .file(try Peer.otherAuthority.file)] {
          let fault = try await fault(api(.tls) { $0.authorities = authorities })
          #expect(fault.kind == .tlsFailed(.untrustedIssuer), "\(authorities)")
          #expect(!fault.mayHaveBeenProcessed)
        }
      }

      @Test("an authority can be added to the system's authorities")
      func added() async throws {
        let api = try api(.tls) { $0.authorities = .systemAndFile(try Peer.authority.file) }
        for _ in 0..<2 {
          let response = try await api.get(endpoint: "json").value
          #expect(response.statusCode == 200)
        }
      }

      @Test("a self-signed certificate is trusted if it is itself configured")
      func selfSigned() async throws {
        let api = try api(.selfSigned) {
          $0.authorities = .file(try Peer.selfSignedCertificate.file)
        }
        #expect(try await api.get(endpoint: "json").value.statusCode == 200)
      }

      @Test("a pinned key accepts its server, alone or among others, in either notation")
      func pinned() async throws {
        let pin = try Peer.pin.text
        let bare = pin.replacingOccurrences(of: "sha256//", with: "")
        for pins in [[pin], [bare], [try Peer.otherPin.text, pin]] {
          let response = try await api(.tls) { $0.pinnedPublicKeys = pins }.get(endpoint: "json")
            .value
          #expect(response.statusCode == 200)
        }
      }

      @Test("SEC-14: a key that is not pinned is refused, even with a valid certificate")
      func unpinned() async throws {
        let fault = try await fault(api(.tls) { $0.pinnedPublicKeys = [try Peer.otherPin.text] })
        #expect(fault.kind == .tlsFailed(.pinMismatch))
        #expect(!fault.mayHaveBeenProcessed)
      }

      @Test("SEC-14: a pin does not excuse an invalid certificate")
      func pinnedButUntrusted() async throws {
        let fault = try await fault(
          api(.tls) {
            $0.authorities = .system
            $0.pinnedPublicKeys = [try Peer.pin.text]
          })
        #expect(fault.kind == .tlsFailed(.untrustedIssuer))
      }

      @Test("TLS 1.2 can be refused")
      func minimumVersion() async throws {
        let fault = try await fault(api(.tls12) { $0.minimumVersion = .tls13 })
        #expect(fault.kind == .tlsFailed(.protocolVersion))
        let echo = try await api(.tls) { $0.minimumVersion = .tls13 }.get(endpoint: "echo")
          .decode(type: NginxEcho.self).value
        #expect(echo.tls == "TLSv1.3")
      }

      @Test("https to a port that speaks http is reported as such")
      func notTLS() async throws {
        let address = try Peer.plain.text.replacingOccurrences(of: "http:", with: "https:")
        let fault = try await fault(PeerAPI(address, try CurlTransport()))
        #expect(fault.kind == .tlsFailed(.notTLS))
        #expect(fault.description.contains("Use http://"))
      }

      @Test("a redirect from https to http is refused")
      func downgrade() async throws {
        let call = try api(.tls).get(endpoint: "to-plain")
        let error = await #expect(throws: RESTError.self) { try await call.value }
        #expect(error?.kind == .redirect)
      }
    }
  }
#endif
