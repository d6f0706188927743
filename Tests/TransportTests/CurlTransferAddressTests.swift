#if os(Linux)
  import Fixtures
  import Foundation
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("A libcurl handle and the address of its connections")
  struct CurlTransferAddressTests {
    private let connections = CurlConnections()
    private let connectionQueue = CurlConnectionQueue(ConnectionShare(connections: 100))
    /// libcurl's addresses of any connection to a unix socket.
    private let nowhere = CurlConnections.Place(
      localPort: 0, remotePort: 80, remoteAddress: "/run/a.sock")

    private func make(_ policy: AddressPolicy) throws -> CurlTransfer {
      let library = try CurlLibrary.posing()
      var configuration = CurlConfiguration()
      configuration.addresses = try CurlAddresses(policy, .none, library: library)
      return try CurlTransfer(library, configuration, connections)
    }

    private func prepare(_ transfer: CurlTransfer, _ url: String) throws {
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      let job = try CurlJob(
        EngineRequest(url: url), call, begin: .now, library: transfer.library)
      try transfer.prepare(
        job, in: try #require(connectionQueue.begin(job)), nil, CurlDeliveryQueue(), onBody: {})
    }

    @Test("At a unix socket each handle has a number, which is reused after its release")
    func numbers() throws {
      let first = try make(.unixSocket("/run/a.sock"))
      var second: CurlTransfer? = try make(.unixSocket("/run/a.sock"))
      #expect(first.number == 1 && second?.number == 2)
      second = nil
      #expect(try make(.unixSocket("/run/a.sock")).number == 2)
      let host = HostAddresses(host: "a.example", port: 80, addresses: ["192.0.2.7"])
      for policy in [AddressPolicy.system, .fixed([host])] {
        #expect(try make(policy).number == nil)
      }
    }

    @Test("At a unix socket a connection is known by its handle and the URL's origin")
    func place() throws {
      let transfer = try make(.unixSocket("/run/a.sock"))
      #expect(transfer.placeAtSocket == nil)
      for origin in ["http://a.example", "http://b.example:8080"] {
        try prepare(transfer, origin + "/x?y")
        let place = CurlConnections.Place(
          localPort: 0, remotePort: 0, remoteAddress: origin, handle: 1)
        // As a new connection, since an unknown kept one is not used.
        connections.enter(place, socket: -1, mayBeShared: true, end: nil)
        #expect(transfer.begin(at: nowhere))
        #expect(transfer.route.place == place)
        transfer.clear()
      }
      #expect(transfer.remoteAddress == "unix:/run/a.sock")
    }

    @Test("Without a unix socket a connection is known by libcurl's addresses")
    func placeElsewhere() throws {
      let transfer = try make(.system)
      try prepare(transfer, "http://a.example/")
      #expect(transfer.remoteAddress == nil)
      let place = CurlConnections.Place(
        localPort: 5, remotePort: 80, remoteAddress: "192.0.2.7")
      #expect(transfer.begin(at: place))
      #expect(transfer.route.place == place)
      #expect(transfer.remoteAddress == "192.0.2.7:80")
    }

    @Test("An unknown kept connection to a unix socket is not used")
    func unknown() throws {
      let transfer = try make(.unixSocket("/run/a.sock"))
      try prepare(transfer, "http://a.example/")
      #expect(!transfer.begin(at: nowhere))
      #expect(transfer.canBeginAnew(after: 42))
      #expect(!transfer.mayHaveBeenProcessed)
    }

    @Test(
      "HTTP/2 is offered to hosts, and not to a unix socket, whose connections have one call each")
    func version() throws {
      let host = HostAddresses(host: "a.example", port: 443, addresses: ["192.0.2.7"])
      for (policy, isOffered) in [
        (AddressPolicy.system, true), (.fixed([host]), true), (.unixSocket("/run/a.sock"), false),
      ] {
        let transfer = try make(policy)
        try prepare(transfer, "https://a.example/")
        #expect(transfer.route.mayShare == (isOffered && transfer.library.speaksHTTP2))
      }
    }

    @Test("A failed connection names the socket, even without a reason from the system")
    func words() throws {
      let transfer = try make(.unixSocket("/run/a.sock"))
      try prepare(transfer, "http://a.example/")
      transfer.errorText[0] = CChar(UInt8(ascii: "A"))
      #expect(
        transfer.words(for: 7)
          == "unix socket /run/a.sock: \(transfer.library.text(for: 7));"
          + " check its path, its permissions and that its server runs")
      #expect(transfer.words(for: 28) == "A")
      let elsewhere = try make(.system)
      try prepare(elsewhere, "http://a.example/")
      #expect(elsewhere.words(for: 7) == elsewhere.library.text(for: 7))
    }
  }
#endif
