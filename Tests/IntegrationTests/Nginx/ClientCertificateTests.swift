#if os(Linux)
  import Foundation
  import RESTKit
  import Streams
  import Testing

  extension IntegrationTests.Nginx {
    @Suite("Client certificates")
    struct ClientCertificates {
      private func api(_ peer: Peer, _ certificate: ClientCertificate?) throws -> PeerAPI {
        var tls = TLSOptions()
        tls.authorities = .file(try Peer.authority.file)
        tls.clientCertificate = certificate
        return PeerAPI(try peer.text, try CurlTransport(tls: tls))
      }

      private func fault(_ api: PeerAPI) async throws -> TransportError {
        let error = try #require(
          await #expect(throws: RESTError.self) { try await api.get(endpoint: "json").value })
        return try #require(error.underlyingError as? TransportError)
      }

      private var own: ClientCertificate {
        get throws {
          ClientCertificate(certificate: try Peer.certificate.file, key: try Peer.key.file)
        }
      }

      private var stranger: ClientCertificate {
        get throws {
          ClientCertificate(
            certificate: try Peer.strangerCertificate.file, key: try Peer.strangerKey.file)
        }
      }

      @Test("a server that requests a certificate receives the client's")
      func shown() async throws {
        let echo = try await api(.clientCertificate, own).get(endpoint: "echo")
          .decode(type: NginxEcho.self).value
        #expect(echo.client == "CN=RESTKit test client")
        for peer in [Peer.demandingTLS12, .demandingTLS13] {
          #expect(try await api(peer, own).get(endpoint: "json").value.statusCode == 200)
        }
      }

      @Test("an encrypted key is decrypted with its passphrase")
      func encrypted() async throws {
        let certificate = ClientCertificate(
          certificate: try Peer.certificate.file, key: try Peer.encryptedKey.file,
          passphrase: try Peer.passphrase.text)
        let response = try await api(.clientCertificate, certificate).get(endpoint: "json").value
        #expect(response.statusCode == 200)
      }

      @Test("a wrong passphrase or a foreign key is an error that names neither")
      func unusable() async throws {
        for (key, passphrase) in [(Peer.encryptedKey, "canary"), (.strangerKey, nil)] {
          let certificate = ClientCertificate(
            certificate: try Peer.certificate.file, key: try key.file, passphrase: passphrase)
          let fault = try await fault(api(.clientCertificate, certificate))
          #expect(fault.kind == .tlsFailed(.clientCertificateUnusable))
          #expect(!fault.mayHaveBeenProcessed)
          #expect(!fault.description.contains("canary"))
          #expect(fault.description.contains("passphrase"))
        }
      }

      @Test(
        "nginx responds with 400 to a missing or an untrusted certificate",
        arguments: [false, true])
      func answered(showsOne: Bool) async throws {
        let certificate = showsOne ? try stranger : nil
        let response = try await api(.clientCertificate, certificate).get(endpoint: "json").value
        #expect(response.statusCode == 400)
      }

      @Test("a server that ends the handshake has refused the certificate")
      func refused() async throws {
        let stranger = try stranger
        for (peer, certificate) in [
          (Peer.demandingTLS13, nil), (.demandingTLS13, stranger), (.demandingTLS12, stranger),
        ] {
          let fault = try await fault(api(peer, certificate))
          #expect(fault.kind == .tlsFailed(.clientCertificateRefused), "\(peer)")
          // With TLS 1.3 the refusal may come after the request was sent.
          #expect(fault.mayHaveBeenProcessed == (peer == .demandingTLS13), "\(peer)")
          #expect(fault.description.contains("TLSOptions.clientCertificate"), "\(peer)")
        }
      }

      @Test("with TLS 1.2 a server cannot report a missing certificate")
      func missing() async throws {
        let fault = try await fault(api(.demandingTLS12, nil))
        #expect(fault.kind == .tlsFailed(.handshake))
        #expect(!fault.mayHaveBeenProcessed)
        #expect(fault.description.contains("client certificate"))
      }
    }
  }
#endif
