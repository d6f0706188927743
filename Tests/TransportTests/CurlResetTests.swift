#if os(Linux)
  import CCurl
  import Fixtures
  import Foundation
  import Streams
  import StreamsTesting
  import Testing

  @testable import HTTPTransport
  @testable import RESTKit

  @Suite("The end of a stream on a shared connection")
  struct CurlResetTests {
    private let desk = TellingDesk()
    private let connections = CurlConnections()
    private let connectionQueue = CurlConnectionQueue(ConnectionShare(connections: 100))
    private let place = CurlConnections.Place(
      localPort: 1, remotePort: 443, remoteAddress: "127.0.0.1")

    /// A transfer on a connection with HTTP/2.
    private func transfer(
      _ version: UInt32 = 0x07_5801, url: String = "https://a.example/", isShared: Bool = true,
      _ change: (inout EngineRequest) -> Void = { _ in }
    ) throws -> (CurlTransfer, EngineCall) {
      let transfer = try CurlTransfer(.posing(as: version), CurlConfiguration(), connections)
      var request = EngineRequest(url: url)
      change(&request)
      let call = EngineCall(completion: { _ in }, onCancel: { _ in })
      let job = try CurlJob(request, call, begin: .now, library: transfer.library)
      try transfer.prepare(
        job, in: try #require(connectionQueue.begin(job)), desk.takeFeed(of: call, request.events),
        desk.deliveryQueue, onBody: {})
      connections.enter(place, socket: 5, mayBeShared: true, end: nil)
      if isShared { connections.note(place, isShared: true) }
      #expect(transfer.begin(at: place))
      return (transfer, call)
    }

    @Test(
      "Releases that keep resets need help, and only for calls that may share a connection",
      arguments: [
        (0x07_57FF, "https", false), (0x07_5800, "https", true), (0x08_0EFF, "https", true),
        (0x08_0F00, "https", false), (0x08_0000, "http", false),
      ])
    func places(version: UInt32, scheme: String, needsHelp: Bool) throws {
      let (transfer, _) = try transfer(version, url: "\(scheme)://a.example/") {
        $0.timeout = .seconds(3_600)
      }
      #expect((transfer.placeOfResets == place) == needsHelp)
      // Then the loop times the call, and not libcurl.
      #expect((transfer.deadline != nil) == needsHelp)
    }

    @Test("A cancelled call waits once for another one, if its connection is known to be shared")
    func lingers() throws {
      let (shared, _) = try transfer()
      #expect(shared.limit == nil)
      let begin = ContinuousClock.now
      #expect(shared.linger())
      let end = try #require(shared.lingerEnd)
      #expect(end > begin && end < .now + .milliseconds(100))
      #expect(shared.limit == end)
      #expect(!shared.linger())
      shared.clear()
      #expect(shared.lingerEnd == nil)
      #expect(try !transfer(isShared: false).0.linger())
      #expect(try !transfer(0x08_0F00).0.linger())
    }

    @Test("A transfer that has left its connection cannot have a reset sent")
    func stirs() throws {
      // The library says of each transfer that nothing is under way.
      #expect(try transfer().0.stir() == nil)
      let (transfer, _) = try transfer()
      UnsafeMutablePointer(mutating: transfer.library.api).pointee.easy_pause = { _, bits in
        bits == 1 ? 0 : 23
      }
      #expect(transfer.stir() == 23)
    }

    @Test("A call whose time has passed is named once, and the next time is known")
    func times() throws {
      var timed = CurlTimedTransfers()
      var calls: [(CurlTransfer, EngineCall)] = []
      for seconds in [3_000, 2_000, 4_000] {
        calls.append(try transfer { $0.timeout = .seconds(seconds) })
      }
      calls.append(try transfer())
      for (transfer, call) in calls { timed.enter(transfer, of: call) }
      let deadlines = try calls.prefix(3).map { try #require($0.0.deadline) }
      #expect(timed.nextDeadline == deadlines[1])
      #expect(timed.expired(deadlines[1] - .nanoseconds(1)).isEmpty)
      #expect(timed.expired(deadlines[1]).map(\.easy) == [calls[1].0.easy])
      timed.remove(calls[1].1)
      #expect(timed.nextDeadline == deadlines[0])
      timed.remove(calls[0].1)
      #expect(timed.expired(deadlines[0]).isEmpty)
      #expect(timed.nextDeadline == deadlines[2])
      timed.remove(calls[2].1)
      #expect(timed.expired(deadlines[2]).isEmpty)
      #expect(timed.nextDeadline == nil)
    }

    @Test("A silent source of a body is silence, which the failure names")
    func silentSource() throws {
      let upstream = TestPublisher<Data, any Error>()
      let (transfer, call) = try transfer {
        $0.method = "PUT"
        $0.idleTimeout = .seconds(100)
        $0.upload = .chunks(upstream)
      }
      var byte: UInt8 = 0
      _ = withUnsafeMutableBytes(of: &byte) { transfer.give(into: $0) }
      let limit = try #require(transfer.limit)
      #expect(limit == transfer.idleDeadline)
      var timed = CurlTimedTransfers()
      timed.enter(transfer, of: call)
      #expect(timed.nextDeadline == limit)
      #expect(timed.expired(limit).map(\.easy) == [transfer.easy])
      let fault = #expect(throws: TransportError.self) { try transfer.resultAtLimit().get() }
      #expect(fault?.kind == .timedOut)
      #expect(fault?.detail == "the request's body was silent for too long")
    }

    @Test("A time limit of the whole call is named as such")
    func words() throws {
      let (whole, _) = try transfer { $0.timeout = .seconds(3_600) }
      let fault = #expect(throws: TransportError.self) { try whole.resultAtLimit().whole.get() }
      #expect(fault?.kind == .timedOut)
      #expect(fault?.detail == "the response was not complete within the time limit")
      #expect(fault?.mayHaveBeenProcessed == true)
    }
  }
#endif
