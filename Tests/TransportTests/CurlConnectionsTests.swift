#if os(Linux)
  import Fixtures
  import Foundation
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The known connections of libcurl")
  struct CurlConnectionsTests {
    private func place(_ port: Int) -> CurlConnections.Place {
      CurlConnections.Place(localPort: Int32(port), remotePort: 443, remoteAddress: nil)
    }

    @Test("Each of 4,096 TLS connections has its own end mark; then marks are reused")
    func ends() throws {
      let connections = CurlConnections()
      let ends = (0..<4_096).map { _ in connections.takeEnd() }
      for (port, end) in ends.enumerated() {
        connections.enter(place(port), socket: Int32(port), mayBeShared: false, end: end.number)
      }
      try #require(ends[0].byte).pointee = 1
      try #require(ends[7].byte).pointee = 1
      #expect(ends.indices.filter { !connections.hasEndedInSilence(place($0)) } == [0, 7])
      #expect(connections.takeEnd().number == ends[0].number)
      // Nothing is known yet of the connection that takes its turn.
      #expect(connections.hasEndedInSilence(place(0)))
      #expect(!connections.hasEndedInSilence(place(7)))
    }

    @Test("A connection whose socket was reused is forgotten, and nothing is reported of it")
    func socketAgain() {
      let connections = CurlConnections()
      connections.enter(place(1), socket: 5, mayBeShared: true, end: connections.takeEnd().number)
      connections.note(place(1), isShared: true)
      #expect(connections.hasEndedInSilence(place(1)) && connections.isShared(place(1)))
      connections.enter(place(1), socket: 5, mayBeShared: true, end: connections.takeEnd().number)
      #expect(connections.hasEndedInSilence(place(1)) && !connections.isShared(place(1)))
      connections.note(place(1), isShared: true)
      connections.enter(place(2), socket: 5, mayBeShared: false, end: nil)
      #expect(!connections.hasEndedInSilence(place(1)) && !connections.isShared(place(1)))
    }

    // MARK: Unix sockets

    /// Two sockets that are connected to each other, closed with it.
    private final class SocketPair {
      let one: Int32
      let other: Int32

      init() throws {
        var pair: [Int32] = [-1, -1]
        let code = socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair)
        try #require(code == 0)
        (one, other) = (pair[0], pair[1])
      }

      deinit {
        close(one)
        close(other)
      }
    }

    private func place(ofHandle handle: Int32, _ origin: String) -> CurlConnections.Place {
      CurlConnections.Place(
        localPort: 0, remotePort: 0, remoteAddress: origin, handle: handle)
    }

    @Test("Handles have their own numbers; a returned number is the next to be taken")
    func handles() {
      let connections = CurlConnections()
      #expect((0..<3).map { _ in connections.takeHandle() } == [1, 2, 3])
      connections.giveBack(handle: 1)
      connections.giveBack(handle: 3)
      #expect((0..<3).map { _ in connections.takeHandle() } == [3, 1, 4])
    }

    @Test("A unix socket's connection is known by handle and origin, and checked")
    func unixSocket() throws {
      let connections = CurlConnections()
      let (first, second) = (try SocketPair(), try SocketPair())
      let (one, other) = (place(ofHandle: 1, "http://a"), place(ofHandle: 2, "http://a"))
      connections.enter(one, socket: first.one, mayBeShared: false, end: nil)
      connections.enter(other, socket: second.one, mayBeShared: false, end: nil)
      #expect(!connections.isSpent(one) && !connections.isSpent(other))
      let byte: [UInt8] = [1]
      try #require(send(second.other, byte, 1, 0) == 1)
      #expect(!connections.isSpent(one) && connections.isSpent(other))
    }

    @Test("An unknown connection counts as spent, and so does one with a reused descriptor")
    func strangers() throws {
      let connections = CurlConnections()
      let (first, second) = (try SocketPair(), try SocketPair())
      let one = place(ofHandle: 1, "http://a")
      connections.enter(one, socket: first.one, mayBeShared: false, end: nil)
      #expect(!connections.isSpent(one))
      #expect(connections.isSpent(place(ofHandle: 1, "http://A")))
      #expect(connections.isSpent(place(ofHandle: 2, "http://a")))
      try #require(dup2(second.one, first.one) == first.one)
      #expect(connections.isSpent(one))
    }

    @Test("Connections without TLS and unknown ones have no silent end")
    func noEnd() {
      let connections = CurlConnections()
      connections.enter(place(1), socket: 1, mayBeShared: false, end: nil)
      #expect(!connections.hasEndedInSilence(place(1)))
      #expect(!connections.hasEndedInSilence(place(2)))
    }
  }
#endif
