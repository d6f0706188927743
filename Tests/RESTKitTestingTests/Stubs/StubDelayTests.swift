import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("How a stub's answer takes its time")
struct StubDelayTests {
  private func delayed(
    _ delay: Duration, result: Result<Data, any Error> = .json("1")
  ) -> StubAPIResponse {
    StubAPIResponse(request: .get("/a"), result: result, delay: delay)
  }

  @Test("The answer comes when the delay is over on the transport's scheduler, and not before")
  func virtualTime() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(delayed(.seconds(3_600)), scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    scheduler.advance(by: .milliseconds(3_599_999))
    #expect(subscriber.values.isEmpty)
    scheduler.advance(by: .milliseconds(1))
    #expect(subscriber.values.count == 1)
    #expect(subscriber.isFinished)
    try stubs.verify()
  }

  @Test("A failure takes its time, too")
  func failure() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      delayed(.seconds(1), result: .failure(TestFailure())), scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    #expect(subscriber.completions.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(subscriber.failure as? TestFailure == TestFailure())
  }

  @Test("By default nobody waits")
  func immediate() throws {
    #expect(try StubTransport(delayed(.seconds(3_600))).text("/a") == "1")
  }

  @Test("No delay needs no scheduler", arguments: [Duration.zero, .seconds(-1)])
  func none(delay: Duration) throws {
    let scheduler = TestScheduler()
    #expect(try StubTransport(delayed(delay), scheduler: scheduler).text("/a") == "1")
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A request that no stub is for fails without a delay")
  func unmatched() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(delayed(.seconds(1)), scheduler: scheduler)
    #expect(try stubs.subscriber("/b").failure is StubError)
    #expect(scheduler.pendingCount == 0)
  }

  @Test("A cancel during the delay takes the work back; nothing comes, and the stub is used")
  func cancel() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(delayed(.seconds(1)), scheduler: scheduler)
    let subscriber = try stubs.subscriber("/a")
    #expect(scheduler.pendingCount == 1)
    subscriber.cancel()
    #expect(scheduler.pendingCount == 0)
    scheduler.advance(by: .seconds(2))
    #expect(subscriber.values.isEmpty)
    #expect(subscriber.completions.isEmpty)
    try stubs.verify()
  }

  @Test("Delays of several requests run side by side")
  func sideBySide() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/slow"), delay: .seconds(2)),
      StubAPIResponse(request: .get("/fast"), delay: .seconds(1)), scheduler: scheduler)
    let slow = try stubs.subscriber("/slow")
    let fast = try stubs.subscriber("/fast")
    scheduler.advance(by: .seconds(1))
    #expect(fast.isFinished)
    #expect(slow.completions.isEmpty)
    scheduler.advance(by: .seconds(1))
    #expect(slow.isFinished)
  }
}
