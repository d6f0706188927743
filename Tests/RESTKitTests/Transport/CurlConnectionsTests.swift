#if os(Linux)
  import Testing

  @testable import RESTKit

  @Suite("What is known of the connections that libcurl made")
  struct CurlConnectionsTests {
    private func place(_ port: Int) -> CurlConnections.Place {
      CurlConnections.Place(localPort: Int32(port), remotePort: 443, remoteAddress: nil)
    }

    @Test("Each of 4096 TLS connections has a word of its own for its end; then they take turns")
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

    @Test("A connection whose socket has become another one's is forgotten, and nothing told of it")
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

    @Test("Of a connection without TLS, and of one that nobody knows, no end is told")
    func noEnd() {
      let connections = CurlConnections()
      connections.enter(place(1), socket: 1, mayBeShared: false, end: nil)
      #expect(!connections.hasEndedInSilence(place(1)))
      #expect(!connections.hasEndedInSilence(place(2)))
    }
  }
#endif
