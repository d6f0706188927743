import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

/// The cases that threads can disturb, on real threads, for ThreadSanitizer.
@Suite("Shared exchanges on many threads", .leakFree, .timeLimit(.minutes(10)))
struct CoalescedThreadTests {
  private typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  private struct World: Sendable {
    let transport = HeldTransport()
    let coalescer = RequestCoalescer()

    func begin(_ path: String = "a") -> TestSubscriber<RESTResponse, any Error> {
      let api = TestAPI(baseURL: "https://api.example.com", transport: transport)
      let subscriber = TestSubscriber<RESTResponse, any Error>()
      api.get(endpoint: path).coalesced(in: coalescer).receive(subscriber: subscriber)
      return subscriber
    }

    /// Begins so many calls on as many threads as there are.
    func beginMany(
      _ count: Int,
      then act: @escaping @Sendable (Int, TestSubscriber<RESTResponse, any Error>) -> Void
    ) async -> [TestSubscriber<RESTResponse, any Error>] {
      await withTaskGroup { group in
        for number in 0..<count {
          group.addTask {
            let subscriber = begin()
            act(number, subscriber)
            return (number, subscriber)
          }
        }
        return await group.reduce(into: []) { $0.append($1) }
          .sorted { $0.0 < $1.0 }.map(\.1)
      }
    }
  }

  @Test("Callers on many threads make one request, and all get its response")
  func together() async {
    for _ in 1...20 {
      let world = World()
      let callers = await world.beginMany(100) { _, _ in }
      #expect(world.transport.requests.count == 1)
      world.transport.answerAll()
      #expect(callers.allSatisfy { $0.values.count == 1 && $0.completions.count == 1 })
    }
  }

  @Test("During responses and cancels each caller ends once, or not at all if it cancelled")
  func comeAndGo() async {
    for _ in 1...20 {
      let world = World()
      let callers = await world.beginMany(100) { number, subscriber in
        if number % 3 == 0 { subscriber.cancel() }
        if number % 5 == 0 { world.transport.answerAll() }
      }
      // A response begins nothing here, since no caller repeats its call.
      world.transport.answerAll()
      #expect(world.transport.open.isEmpty)
      for (number, caller) in callers.enumerated() {
        #expect(caller.overlaps == 0)
        let ends = caller.completions.count
        #expect(number % 3 == 0 ? ends <= 1 : ends == 1)
      }
    }
  }

  @Test("After concurrent cancels of all callers nothing remains, and the next call begins anew")
  func allGo() async {
    for _ in 1...20 {
      let world = World()
      _ = await world.beginMany(50) { _, subscriber in subscriber.cancel() }
      #expect(world.transport.open.isEmpty)
      let next = world.begin()
      #expect(world.transport.open.count == 1)
      world.transport.answerAll()
      #expect(next.isFinished)
    }
  }
}
