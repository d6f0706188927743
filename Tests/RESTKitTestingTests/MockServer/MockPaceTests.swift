import Foundation
import Testing

@testable import RESTKitTesting

@Suite("MockServer keeps the rate of a throttle", .timeLimit(.minutes(10)))
struct MockPaceTests {
  /// The shortest of five times from a request to the end of its response, since other processes
  /// can only make a time longer.
  private func bestTime(_ delivery: MockResponse.Delivery, bytes: Int) throws -> Duration {
    let server = try MockServer { _ in
      MockResponse(
        status: 200, headers: [("Content-Length", "\(bytes)"), ("Connection", "close")],
        delivery: delivery)
    }
    let times = try (1...5).map { _ in
      let client = try RawClient(to: server.port)
      let begin = ContinuousClock.now
      try client.send("GET / HTTP/1.1\r\nHost: h\r\n\r\n")
      _ = try client.readToEnd()
      return ContinuousClock.now - begin
    }
    return try #require(times.min())
  }

  @Test(arguments: [(50, 10), (997, 200), (100_000, 20_000), (1_000_000, 200_000)])
  func `A throttle is at most a tenth slower than its rate, and never faster`(
    bytesPerSecond: Int, bytes: Int
  ) throws {
    let piece = MockPiece(Data(count: bytes)).paced(.seconds(1) / bytesPerSecond)
    let time = try bestTime(.pieces([piece]), bytes: bytes)
    let expected = Duration.seconds(bytes) / bytesPerSecond
    #expect(time >= expected - .milliseconds(1))
    #expect(time <= expected * 1.1)
  }

  @Test func `The first byte of a throttle comes after its time, too`() throws {
    let piece = MockPiece(Data("a".utf8)).paced(.milliseconds(100))
    let time = try bestTime(.pieces([piece]), bytes: 1)
    #expect(time >= .milliseconds(99))
    #expect(time <= .milliseconds(150))
  }

  @Test func `Bytes that drip keep their pauses, also fractions of a millisecond`() throws {
    let time = try bestTime(.dripped(Data(count: 200), every: .microseconds(1_500)), bytes: 200)
    #expect(time >= .milliseconds(300))
    #expect(time <= .milliseconds(330))
  }
}
