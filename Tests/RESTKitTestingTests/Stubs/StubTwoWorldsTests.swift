import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(
  "Drawn scripts: what a subscriber sees in memory is what it sees over a socket",
  .timeLimit(.minutes(10)))
struct StubTwoWorldsTests {
  #if os(Linux)
    static let count = 2_000
  #else
    static let count = 200
  #endif
  static let batch = 50

  static var limits: TransportLimits {
    var limits = TransportLimits()
    limits.bodyBytes = 4_000
    limits.errorBodyBytes = 1_500
    return limits
  }

  private static func carrier() throws -> any Transport {
    #if os(Linux)
      try CurlTransport(limits: limits)
    #else
      URLSessionTransport(limits: limits)
    #endif
  }

  @Test("Each drawn script has the same end in both worlds", arguments: [43])
  func drawn(seed: UInt64) async throws {
    let carrier = try Self.carrier()
    let tally = try await withThrowingTaskGroup(of: [String: Int].self) { group in
      // A few at a time, since other tests measure times meanwhile.
      for worker in 0..<4 {
        group.addTask {
          var tally: [String: Int] = [:]
          for start in stride(from: worker * Self.batch, to: Self.count, by: 4 * Self.batch) {
            let batch = try await Self.play(start..<(start + Self.batch), seed: seed, over: carrier)
            tally.merge(batch, uniquingKeysWith: +)
          }
          return tally
        }
      }
      return try await group.reduce(into: [:]) { $0.merge($1, uniquingKeysWith: +) }
    }
    // The draws reach all kinds of ends.
    for end in [
      "invalidRequest", "invalidStub", "malformedResponse", "bodyCut", "connectionReset",
      "limitExceeded", "undecodableBody", "timedOut", "tlsFailed", "whole", "pieces", "decoded",
    ] {
      #expect(tally[end, default: 0] > 0, "no \(end) in \(tally)")
    }
  }

  /// Plays drawn scripts in both worlds, one after another.
  private static func play(
    _ numbers: Range<Int>, seed: UInt64, over carrier: any Transport
  ) async throws -> [String: Int] {
    let draws = try numbers.map { try DrawnScript(number: $0, seed: seed) }
    let scheduler = TestScheduler()
    let script = try #require(draws.reduce(nil) { $1.added(to: $0) })
    let memory = StubTransport(script, scheduler: scheduler, limits: limits)
    let socket = try StubTransport(script, over: carrier)
    var tally: [String: Int] = [:]
    for draw in draws {
      let expected = WorldsEnd(draw, on: memory, in: scheduler)
      let seen = await WorldsEnd(draw, on: socket)
      #expect(
        seen.isSame(as: expected),
        "draw \(draw.number) of seed \(seed): \(draw)\n\(expected)\n\(seen)")
      for word in expected.words { tally[word, default: 0] += 1 }
      if draw.isCoded, expected.failure == nil { tally["decoded", default: 0] += 1 }
    }
    #expect(socket.journal.map(\.description) == memory.journal.map(\.description))
    return tally
  }
}
