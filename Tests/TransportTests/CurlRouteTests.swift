#if os(Linux)
  import Fixtures
  import Foundation
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The way of a call to its connection")
  struct CurlRouteTests {
    /// A socket with a port of its own, closed with it.
    private final class BoundSocket {
      let descriptor: Int32
      let port: Int32

      init() throws {
        let socket = Foundation.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            bind(socket, address, size) == 0 && getsockname(socket, address, &size) == 0
              && connect(socket, address, size) == 0
          }
        }
        try #require(isBound)
        descriptor = socket
        port = Int32(address.sin_port.bigEndian)
      }

      deinit { Foundation.close(descriptor) }

      /// Has something there to be read.
      func fill() {
        let byte: [UInt8] = [1]
        #expect(Foundation.send(descriptor, byte, 1, 0) == 1)
      }
    }

    private let connections = CurlConnections()

    private func place(_ port: Int32, _ address: String = "127.0.0.1") -> CurlConnections.Place {
      CurlConnections.Place(localPort: port, remotePort: 443, remoteAddress: address)
    }

    @discardableResult
    private func note(_ line: String, by route: CurlRoute) -> Bool {
      Array(line.utf8).withUnsafeBytes { route.note($0, in: connections) }
    }

    @Test("Of several connection attempts the one with the place's port is used")
    func attempts() throws {
      let (first, second) = (try BoundSocket(), try BoundSocket())
      var route = CurlRoute()
      for socket in [first, second] { route.note(socket: socket.descriptor) }
      let isTaken = route.enter(place(first.port), connects: 1, of: connections)
      #expect(isTaken)
      second.fill()
      #expect(!connections.isSpent(place(first.port)))
      first.fill()
      #expect(connections.isSpent(place(first.port)))
      // Those that lost are forgotten: the next attempt is alone, and its port need not tell.
      let third = try BoundSocket()
      route.note(socket: third.descriptor)
      let isNextTaken = route.enter(place(1), connects: 2, of: connections)
      #expect(isNextTaken)
      third.fill()
      #expect(connections.isSpent(place(1)))
    }

    @Test("Of several sockets for a unix socket, the last one is connected")
    func unixSocket() throws {
      let (first, second) = (try BoundSocket(), try BoundSocket())
      var place = place(0, "http://localhost")
      place.handle = 1
      var route = CurlRoute()
      for socket in [first, second] { route.note(socket: socket.descriptor) }
      let isTaken = route.enter(place, connects: 1, of: connections)
      #expect(isTaken)
      first.fill()
      #expect(!connections.isSpent(place))
      second.fill()
      #expect(connections.isSpent(place))
    }

    @Test("A kept connection is checked and refused if it is spent; a new one is used")
    func kept() throws {
      let (first, second) = (try BoundSocket(), try BoundSocket())
      var route = CurlRoute()
      route.note(socket: first.descriptor)
      let isNewTaken = route.enter(place(1), connects: 1, of: connections)
      let isKeptTaken = route.enter(place(1), connects: 1, of: connections)
      #expect(isNewTaken && isKeptTaken)
      #expect(!route.isSpent)
      first.fill()
      let isTaken = route.enter(place(1), connects: 1, of: connections)
      #expect(!isTaken)
      #expect(route.isSpent)
      #expect(route.place == place(1))
      route.leave()
      #expect(route.place == nil)
      #expect(!route.isSpent)
      // libcurl counts anew for the one that comes in its place.
      route.note(socket: second.descriptor)
      let isOtherTaken = route.enter(place(2), connects: 1, of: connections)
      #expect(isOtherTaken)
      second.fill()
      #expect(connections.isSpent(place(2)))
    }

    @Test("An unknown connection does not count as spent")
    func unknown() {
      var route = CurlRoute()
      let isTaken = route.enter(place(1), connects: 0, of: connections)
      #expect(isTaken)
      #expect(!connections.isSpent(place(1)))
    }

    @Test(
      "If HTTP/2 was offered, a response's first line tells whether its connection is shared",
      arguments: [
        ("HTTP/2 200\r\n", true, true, false), ("HTTP/1.1 200 OK\r\n", true, false, true),
        ("HTTP/1.0 200 OK\r\n", true, false, true), ("HTTP/3 200\r\n", true, true, false),
        // Nothing is known yet.
        ("X-Version: HTTP/2\r\n", true, false, false),
        // Without an offer the line is not checked.
        ("HTTP/2 200\r\n", false, false, true),
      ])
    func version(line: String, isOffered: Bool, isShared: Bool, isSpent: Bool) throws {
      let socket = try BoundSocket()
      var route = CurlRoute()
      route.mayShare = isOffered
      route.note(socket: socket.descriptor)
      let isTaken = route.enter(place(1), connects: 1, of: connections)
      #expect(isTaken)
      socket.fill()
      #expect(note(line, by: route) == isShared)
      #expect(connections.isShared(place(1)) == isShared)
      #expect(connections.isSpent(place(1)) == isSpent)
    }

    @Test("HTTP/2 is not offered by default")
    func offersNothing() {
      #expect(!CurlRoute().mayShare)
    }

    @Test("The watched end is the last TLS connection's, after a proxy's")
    func ends() throws {
      let socket = try BoundSocket()
      var route = CurlRoute()
      let (proxy, server) = (connections.takeEnd(), connections.takeEnd())
      for end in [proxy, server] { route.note(end: end.number) }
      route.note(socket: socket.descriptor)
      let isTaken = route.enter(place(1), connects: 1, of: connections)
      #expect(isTaken)
      try #require(proxy.byte).pointee = 1
      #expect(connections.hasEndedInSilence(place(1)))
      try #require(server.byte).pointee = 1
      #expect(!connections.hasEndedInSilence(place(1)))
      // The next connection has no TLS.
      let other = try BoundSocket()
      route.note(socket: other.descriptor)
      let isNextTaken = route.enter(place(2), connects: 2, of: connections)
      #expect(isNextTaken)
      try #require(server.byte).pointee = 0
      #expect(!connections.hasEndedInSilence(place(2)))
    }

    @Test("Addresses differ in any character, and equal addresses are equal")
    func addresses() {
      let texts = [
        "10.0.0.1", "11.0.0.1", "10.0.0.2", "10.1.0.1", "20.0.0.1", "10.0.0.11", "::1", "::2", "",
      ]
      let places = texts.map { place(1, $0) }
      #expect(Set(places).count == texts.count)
      #expect(places == texts.map { place(1, $0) })
    }
  }
#endif
