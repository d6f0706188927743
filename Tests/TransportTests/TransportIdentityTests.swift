import Fixtures
import Foundation
import RESTKitReports
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What transports share")
struct TransportIdentityTests {
  private struct Plain: Transport {
    let user: String

    func response(for request: URLRequest) -> AnyPublisher<RESTResponse, any Error> {
      Empty().eraseToAnyPublisher()
    }
  }

  @Test("A value shares nothing unless it says so")
  func values() {
    #expect(Plain(user: "ada").identity == .unshared)
    #expect(!TransportIdentity.unshared.isShared)
    #expect(TransportIdentity.unshared.adding("tenant acme") == .unshared)
    #expect(TransportIdentity.unshared.lastingRoad == nil)
  }

  @Test("An object is itself")
  func objects() {
    let transports = [HeldTransport(), HeldTransport()]
    #expect(transports[0].identity == transports[0].identity)
    #expect(transports[0].identity != transports[1].identity)
    #expect(transports[0].identity.isShared && transports[0].identity.lastingRoad == nil)
  }

  @Test("Two roads of one's own are two, with the same addition as well")
  func ownRoads() {
    let (one, other) = (TransportIdentity(), TransportIdentity())
    #expect(one != other && one.adding("a") != other.adding("a"))
    #expect(one.adding("a") == one.adding("a"))
    #expect(one.adding("a") != one && one.adding("a") != one.adding("b"))
  }

  @Test("Equal descriptions are one road, byte by byte")
  func lasting() {
    #expect(TransportIdentity(lasting: "a") == TransportIdentity(lasting: "a"))
    #expect(TransportIdentity(lasting: "\u{E9}") != TransportIdentity(lasting: "e\u{301}"))
    #expect(TransportIdentity(lasting: "a").adding("b").lastingRoad == "a\nb")
  }

  @Test("A transport that forwards requests unchanged has the identity of the one behind it")
  func forwarding() {
    let held = HeldTransport()
    #expect(ObservedTransport(held).identity == held.identity)
    #expect(HARRecorder(held).identity == held.identity)
  }

  @Test("Each closure, stub and step is a road of its own, in this process alone")
  func doubles() {
    func make() -> [any Transport] {
      [
        ClosureTransport { .status(200, to: $0) }, StubTransport(.get, "https://h.example/a"),
        HeldTransport().intercepted { _ in },
      ]
    }
    for (one, other) in zip(make(), make()) {
      #expect(one.identity == one.identity && one.identity != other.identity)
      #expect(one.identity.isShared && one.identity.lastingRoad == nil)
    }
  }

  @Test("A text shows the road, and nothing of an object")
  func texts() {
    struct Secret: Sendable { let canary = "canary" }
    final class Signer: Sendable { let secret = Secret() }
    let identities = [
      .unshared, .plain, TransportIdentity(of: Signer()),
      TransportIdentity(of: Signer()).adding("a"),
      TransportIdentity(lasting: "socket /a"),
    ]
    #expect(
      identities.map { "\($0)" } == [
        "unshared", "the system's network", "a road of its own", "a road of its own:\na",
        "socket /a",
      ])
    for identity in identities {
      var text = String(reflecting: identity)
      dump(identity, to: &text)
      #expect(!text.contains("canary"))
    }
  }

  #if os(Linux)
    private func identity(
      _ addresses: AddressPolicy = .system, proxy: ProxyPolicy = .environment,
      _ change: (inout TLSOptions) -> Void = { _ in }
    ) throws -> TransportIdentity {
      var tls = TLSOptions()
      change(&tls)
      return try CurlTransport(tls: tls, proxy: proxy, addresses: addresses).identity
    }

    private func fixed(_ addresses: String...) -> AddressPolicy {
      .fixed(
        addresses.map {
          HostAddresses(
            host: "\($0.hasSuffix("1") ? "A" : "b").example", port: 443, addresses: [$0])
        })
    }

    @Test("Transports with default options share the system's network")
    func plain() throws {
      for identity in [
        try identity(), URLSessionTransport().identity, SharedTransport().identity,
      ] {
        #expect(identity == .plain)
      }
    }

    @Test("Addresses and sockets are roads, which the next process finds again")
    func addresses() throws {
      let (one, two) = ("192.0.2.1", "192.0.2.2")
      #expect(try identity(fixed(one)) != .plain)
      #expect(try identity(fixed(one)) == identity(fixed(one)))
      #expect(try identity(fixed(one)) != identity(fixed(two)))
      #expect(try identity(fixed(one, two)) == identity(fixed(two, one)))
      #expect(try identity(.unixSocket("/a")) != identity(.unixSocket("/b")))
      #expect(try identity(.unixSocket("/a")).lastingRoad == "socket /a")
      #expect(try identity(fixed(one)).lastingRoad == "address a.example:443:192.0.2.1")
    }

    @Test(
      "A client certificate, an authority, a pin and a proxy are roads, and no text has a secret"
    )
    func trust() throws {
      let folder = try TemporaryFolder()
      let key = try folder.file("key", Data("-----BEGIN PRIVATE KEY-----\n".utf8))
      let files = try ["AA==", "AQ=="].map { text in
        try folder.file(
          text, Data("-----BEGIN CERTIFICATE-----\n\(text)\n-----END CERTIFICATE-----\n".utf8))
      }
      let certificates = try files.map { file in
        try identity {
          $0.clientCertificate = ClientCertificate(
            certificate: file, key: key, passphrase: "canary")
        }
      }
      let authorities = try files.map { file in try identity { $0.authorities = .file(file) } }
      let pin = Data(repeating: 1, count: 32).base64EncodedString()
      let url = try #require(URL(string: "http://proxy.example:3128"))
      let proxies = try ["canary", "other"].map { user in
        try identity(proxy: .proxy(ProxyServer(url, user: user, password: "canary")))
      }
      let pinned = try identity { $0.pinnedPublicKeys = [pin] }
      let all =
        certificates + authorities + proxies + [try identity(proxy: .none), pinned, .plain]
      #expect(Set(all).count == all.count)
      #expect(all.allSatisfy { $0.lastingRoad?.contains("canary") == false })
      #expect(
        try identity {
          $0.clientCertificate = ClientCertificate(certificate: files[0], key: key, passphrase: "x")
        } == certificates[0])
    }
  #endif
}
