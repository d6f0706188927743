import Foundation
import RESTKit
import Testing

extension IntegrationTests.Attack {
  /// A body that unpacks to nothing, however much of it there is.
  struct EmptyCoding: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let coding: String
    let bytes: PackedBytes.Endless
    /// How much of it is sent; nil for all, which has no end.
    var count: Int?

    private static let blocks = PackedBytes.Endless(
      start: PackedBytes.zlibHead, unit: PackedBytes.emptyBlock)
    private static let members = PackedBytes.Endless(start: [], unit: PackedBytes.emptyMember)

    static let all: [EmptyCoding] = [
      EmptyCoding(
        testDescription: "empty members of gzip", coding: "gzip", bytes: members),
      EmptyCoding(
        testDescription: "empty blocks of deflate", coding: "deflate", bytes: blocks),
      EmptyCoding(
        testDescription: "empty blocks, twice packed", coding: "deflate, deflate",
        bytes: blocks.packed(PackedBytes.zlibHead)),
      EmptyCoding(
        testDescription: "empty members, twice packed", coding: "gzip, gzip",
        bytes: members.packed(PackedBytes.gzipHead)),
      EmptyCoding(
        testDescription: "14 KB of empty blocks, three times packed",
        coding: "deflate, deflate, deflate",
        bytes: blocks.packed(PackedBytes.zlibHead).packed(PackedBytes.zlibHead), count: 14_000),
      EmptyCoding(
        testDescription: "14 KB of empty members, three times packed", coding: "gzip, gzip, gzip",
        bytes: members.packed(PackedBytes.gzipHead).packed(PackedBytes.gzipHead), count: 14_000),
      EmptyCoding(
        testDescription: "empty blocks, three times packed, in two lines",
        coding: "deflate, deflate\r\nContent-Encoding: deflate",
        bytes: blocks.packed(PackedBytes.zlibHead).packed(PackedBytes.zlibHead)),
    ]

    var steps: [RawPeer.Step] {
      let head = "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\n"
      if let count {
        let rest = "Content-Length: \(count)\r\n\r\n"
        return [.send(Array((head + rest).utf8) + bytes.prefix(count)), .tell, .hold]
      }
      let unit = PackedBytes.Endless(start: [], unit: bytes.unit).prefix(
        16_000 / bytes.unit.count * bytes.unit.count)
      return [.send(Array((head + "\r\n").utf8) + bytes.start), .tell, .endless(unit)]
    }
  }

  @Suite("Bodies that decompress to nothing")
  struct Codings {
    /// Foundation is left out: it has libcurl unpack on a queue that the whole process shares.
    @Test(
      "SEC-09: the call ends at its timeout, and other calls do not wait for it",
      arguments: EmptyCoding.all, [false, true])
    func nothing(coding: EmptyCoding, inPieces: Bool) async throws {
      let hostile = try RawPeer { _ in coding.steps }
      let good = try RawPeer { _ in [.send(RawPeer.answer("good")), .keep] }
      defer {
        hostile.stop()
        good.stop()
      }
      let transport = try TransportKind.default.makeTransport()
      // Its connection is there before.
      _ = await PeerAPI(good.address, transport).outcome()
      let begin = ContinuousClock.now
      async let attacked = PeerAPI(hostile.address, transport).outcome(
        inPieces: inPieces, seconds: 1)
      await hostile.told()
      for _ in 0..<3 {
        let asked = ContinuousClock.now
        let answer = await PeerAPI(good.address, transport).outcome(seconds: 20)
        let time = ContinuousClock.now - asked
        #expect(answer == .response(200, Data("good".utf8)))
        #expect(time < .milliseconds(500))
      }
      let outcome = await attacked
      let time = ContinuousClock.now - begin
      #expect(time < .milliseconds(1_600), "\(outcome)")
      let faults = [
        "timedOut", "undecodableBody", "limitExceeded(expansionRatio)", "malformedResponse",
      ]
      #expect(faults.contains(outcome.name), "\(outcome)")
    }

    @Test(
      "three codings of an empty body are ignored",
      arguments: TransportKind.allCases,
      [(HTTPMethod.get, 0), (.head, 9)])
    func nothingToUndo(kind: TransportKind, ask: (method: HTTPMethod, length: Int)) async throws {
      let peer = try RawPeer { _ in
        let head =
          "HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip, gzip\r\nContent-Length: \(ask.length)\r\n"
        return [.send(Array("\(head)\r\n".utf8)), .keep]
      }
      defer { peer.stop() }
      let api = PeerAPI(peer.address, try kind.makeTransport())
      for inPieces in [false, true] {
        #expect(await api.outcome(ask.method, inPieces: inPieces) == .response(200, Data()))
      }
    }

    @Test(
      "a complete body compressed once or twice is decompressed",
      arguments: TransportKind.allCases,
      ["gzip", "gzip, gzip"])
    func whole(kind: TransportKind, coding: String) async throws {
      let once = PackedBytes.gzip("hello world")
      let bytes = coding == "gzip" ? once : PackedBytes.gzip(of: once)
      let peer = try RawPeer { _ in
        let head =
          "HTTP/1.1 200 OK\r\nContent-Encoding: \(coding)\r\nContent-Length: \(bytes.count)\r\n\r\n"
        return [.send(Array(head.utf8) + bytes), .keep]
      }
      defer { peer.stop() }
      let api = PeerAPI(peer.address, try kind.makeTransport())
      for inPieces in [false, true] {
        #expect(await api.outcome(inPieces: inPieces) == .response(200, Data("hello world".utf8)))
      }
    }
  }
}
