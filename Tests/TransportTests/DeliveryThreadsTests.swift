import Fixtures
import Foundation
import Testing

@testable import HTTPTransport
@testable import RESTKit

@Suite("The threads for subscribers of URLSession calls", .timeLimit(.minutes(10)))
struct DeliveryThreadsTests {
  @Test("With more work than threads, later work waits for a thread to return")
  func threads() async throws {
    let threads = DeliveryThreads(most: 2)
    let (lines, line) = AsyncStream.makeStream(of: String.self)
    try await Door.around { door in
      let returned = Counter()
      for _ in 0..<2 {
        threads.run {
          line.yield("blocked")
          door.pass()
          returned.add()
        }
      }
      threads.run { line.yield("behind \(returned.value)") }
      var seen: [String] = []
      for await line in lines {
        seen.append(line)
        if seen.count == 2 { door.letOnePass() }
        if seen.count == 3 { break }
      }
      #expect(seen == ["blocked", "blocked", "behind 1"])
    }
  }

  @Test("A thread without work leaves its place to the next")
  func threadsEnd() async {
    let threads = DeliveryThreads(most: 1)
    let (lines, line) = AsyncStream.makeStream(of: Int.self)
    for number in 0..<100 {
      threads.run { line.yield(number) }
      for await seen in lines {
        #expect(seen == number)
        break
      }
    }
  }
}
