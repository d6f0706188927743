import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite(
  "A blocked caller does not delay other callers of a shared exchange",
  .leakFree, .timeLimit(.minutes(10)))
struct SharedDeliveryTests {
  /// So many callers of one exchange, of whom some wait at a door where they get the response.
  ///
  /// - Parameter body: Is told the number of each caller whose delivery has gone on to its end.
  private func deliver(
    to count: Int, blocking blocked: @escaping @Sendable (Int) -> Bool, at door: Door
  ) async -> Set<Int> {
    let transport = HeldTransport()
    let coalescer = RequestCoalescer()
    let api = TestAPI(baseURL: "https://api.example.com", transport: transport)
    let done = AsyncStream<Int>.makeStream()
    for number in 0..<count {
      api.get(endpoint: "a").coalesced(in: coalescer)
        .receive(
          subscriber: TestSubscriber<RESTResponse, any Error> { _, _ in
            if blocked(number) { door.pass() }
            done.continuation.yield(number)
            return .none
          })
    }
    let free = (0..<count).count { !blocked($0) }
    let thread = Thread { transport.answer(0) }
    thread.start()
    var delivered: Set<Int> = []
    for await number in done.stream {
      delivered.insert(number)
      if delivered.count == free { break }
    }
    door.open()
    return delivered
  }

  @Test(
    "The first, the last, or several blocked callers delay no others",
    arguments: [[0], [4], [0, 1, 2], [0, 2, 4], [3, 4]] as [Set<Int>])
  func some(blocked: Set<Int>) async throws {
    try await Door.around { door in
      let delivered = await deliver(to: 5, blocking: { blocked.contains($0) }, at: door)
      #expect(delivered == Set(0..<5).subtracting(blocked))
    }
  }

  @Test("One blocked caller of a thousand delays no others")
  func crowd() async throws {
    try await Door.around { door in
      let delivered = await deliver(to: 1_000, blocking: { $0 == 500 }, at: door)
      #expect(delivered.count == 999)
    }
  }

  @Test("If callers block all threads, the others get the response when one goes on")
  func allThreads() async throws {
    try await Door.around { door in
      let transport = HeldTransport()
      let coalescer = RequestCoalescer()
      let api = TestAPI(baseURL: "https://api.example.com", transport: transport)
      let (arrivals, arrival) = AsyncStream.makeStream(of: Int.self)
      for number in 0..<40 {
        api.get(endpoint: "a").coalesced(in: coalescer)
          .receive(
            subscriber: TestSubscriber<RESTResponse, any Error> { _, _ in
              arrival.yield(number)
              if number < 16 { door.pass() }
              return .none
            })
      }
      Thread { transport.answer(0) }.start()
      var arrived: [Int] = []
      for await number in arrivals {
        arrived.append(number)
        if arrived.count == 16 { door.letOnePass() }
        if arrived.count == 40 { break }
      }
      #expect(Array(arrived.prefix(16)) == Array(0..<16))
    }
  }

  @Test("Transports around one transport share with each other, and those of another do not")
  func transports() {
    let servers = [HeldTransport(), HeldTransport()]
    let coalescer = RequestCoalescer()
    let one = ObservedTransport(servers[0])
    for transport in [one, one, ObservedTransport(servers[0]), ObservedTransport(servers[1])] {
      TestAPI(baseURL: "https://api.example.com", transport: transport)
        .get(endpoint: "a").coalesced(in: coalescer)
        .receive(subscriber: TestSubscriber<RESTResponse, any Error>())
    }
    #expect(servers.map(\.requests.count) == [1, 1])
    for server in servers { server.answerAll() }
  }
}
