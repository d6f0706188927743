#if os(Linux)
  import Foundation
  import RESTKit
  import Streams
  import Testing

  extension IntegrationTests.Nginx {
    /// The server's certificate names `localhost`, 127.0.0.1 and the host of the proxies.
    @Suite("Addresses of connections")
    struct Addresses {
      private func transport(
        _ addresses: AddressPolicy, _ change: (inout TLSOptions) throws -> Void = { _ in }
      ) throws -> CurlTransport {
        var tls = TLSOptions()
        tls.authorities = .file(try Peer.authority.file)
        try change(&tls)
        return try CurlTransport(tls: tls, addresses: addresses)
      }

      private func echo(_ api: PeerAPI) async throws -> NginxEcho {
        try await api.get(endpoint: "echo").decode(type: NginxEcho.self).value
      }

      private func fault(_ api: PeerAPI) async throws -> TransportError {
        let error = try #require(
          await #expect(throws: RESTError.self) { try await api.get(endpoint: "echo").value })
        return try #require(error.underlyingError as? TransportError)
      }

      // MARK: Unix sockets

      private func atSocket(
        _ url: String, _ peer: Peer, _ change: (inout TLSOptions) throws -> Void = { _ in }
      ) throws -> PeerAPI {
        PeerAPI(url, try transport(.unixSocket(try peer.text), change))
      }

      @Test("a unix socket serves kept connections and receives the URL's host")
      func socket() async throws {
        let api = try atSocket("http://nginx.invalid:8080", .socket)
        var connections: Set<String> = []
        for number in 1...5 {
          let echo = try await echo(api)
          #expect(echo.host == "nginx.invalid:8080")
          #expect(echo.protocol == "HTTP/1.1")
          #expect(echo.requests == "\(number)")
          connections.insert(echo.connection)
        }
        #expect(connections.count == 1)
        let response = try await api.get(endpoint: "json").value
        #expect(response.metrics?.remoteAddress == "unix:\(try Peer.socket.text)")
      }

      @Test("a large body is sent to a unix socket, and a large one received from it")
      func bodies() async throws {
        let api = try atSocket("http://localhost", .socket)
        let body = Data(repeating: 7, count: 5 << 20)
        let response = try await api.post(endpoint: "upload", body: .data(body)).value
        #expect(String(decoding: response.data, as: UTF8.self).contains("\"\(body.count)\""))
        #expect(try await api.get(endpoint: "files/32m.bin").value.data.count == 32 << 20)
      }

      @Test("100 concurrent calls all receive responses at a unix socket, over 6 connections")
      func many() async throws {
        let api = try atSocket("http://localhost", .socket)
        let echoes = try await withThrowingTaskGroup(of: NginxEcho.self) { group in
          for _ in 0..<100 { group.addTask { try await echo(api) } }
          return try await group.reduce(into: [NginxEcho]()) { $0.append($1) }
        }
        #expect(echoes.count == 100)
        #expect(Set(echoes.map(\.connection)).count <= 6)
      }

      @Test("https at a unix socket uses TLS, over HTTP/1.1 even if the server offers HTTP/2")
      func tlsAtSocket() async throws {
        for host in ["localhost", "127.0.0.1"] {
          let api = try atSocket("https://\(host)", .tlsSocket)
          for number in 1...2 {
            let echo = try await echo(api)
            #expect(echo.tls == "TLSv1.3")
            #expect(echo.protocol == "HTTP/1.1")
            #expect(echo.requests == "\(number)")
          }
        }
      }

      @Test("SEC-14: at a unix socket a certificate is verified against the URL's host")
      func nameAtSocket() async throws {
        let wrongName = try await fault(atSocket("https://api.example.invalid", .tlsSocket))
        #expect(wrongName.kind == .tlsFailed(.wrongHost))
        #expect(!wrongName.mayHaveBeenProcessed)
        let untrusted = try await fault(
          atSocket("https://localhost", .tlsSocket) { $0.authorities = .system })
        #expect(untrusted.kind == .tlsFailed(.untrustedIssuer))
        let notTLS = try await fault(atSocket("https://localhost", .socket))
        #expect(notTLS.kind == .tlsFailed(.notTLS))
      }

      @Test("SEC-14: at a unix socket a pin is verified")
      func pinAtSocket() async throws {
        let pinned = try atSocket("https://localhost", .tlsSocket) {
          $0.pinnedPublicKeys = [try Peer.pin.text]
        }
        #expect(try await echo(pinned).method == "GET")
        let fault = try await fault(
          atSocket("https://localhost", .tlsSocket) {
            $0.pinnedPublicKeys = [try Peer.otherPin.text]
          })
        #expect(fault.kind == .tlsFailed(.pinMismatch))
        #expect(!fault.mayHaveBeenProcessed)
      }

      // MARK: Fixed addresses

      /// An API at a host of our choice, whose address is nginx's.
      private func fixed(
        _ host: String, _ peer: Peer, _ change: (inout TLSOptions) throws -> Void = { _ in }
      ) throws -> PeerAPI {
        let port = try #require(try peer.url.port)
        let addresses = HostAddresses(host: host, port: port, addresses: ["127.0.0.1"])
        return PeerAPI("https://\(host):\(port)", try transport(.fixed([addresses]), change))
      }

      @Test(
        "a host known only by its fixed address is the name that the certificate must have",
        arguments: [Peer.tls, .http2])
      func name(peer: Peer) async throws {
        let host = try Peer.proxiedHost.text
        let echo = try await echo(fixed(host, peer))
        #expect(echo.host == "\(host):\(try #require(try peer.url.port))")
        #expect(echo.protocol == (peer == .http2 ? "HTTP/2.0" : "HTTP/1.1"))
      }

      @Test("SEC-14: a fixed address does not excuse a wrong name in a certificate")
      func wrongName() async throws {
        let fault = try await fault(fixed("api.example.invalid", .tls))
        #expect(fault.kind == .tlsFailed(.wrongHost))
        #expect(!fault.mayHaveBeenProcessed)
      }

      @Test("SEC-14: with a fixed address a pin is verified")
      func pin() async throws {
        let host = try Peer.proxiedHost.text
        let pinned = try fixed(host, .tls) { $0.pinnedPublicKeys = [try Peer.pin.text] }
        #expect(try await echo(pinned).method == "GET")
        let fault = try await fault(
          fixed(host, .tls) { $0.pinnedPublicKeys = [try Peer.otherPin.text] })
        #expect(fault.kind == .tlsFailed(.pinMismatch))
      }

      @Test("without its fixed address the host is not found")
      func notFound() async throws {
        let api = PeerAPI("https://\(try Peer.proxiedHost.text)", try transport(.system))
        #expect(try await fault(api).kind == .hostNotFound)
      }
    }
  }
#endif
