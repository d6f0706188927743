import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("RT-14: a retry policy and a token session", .leakFree)
struct RetryAndSessionTests {
  enum Order: CaseIterable, Sendable {
    case retryOutside, sessionOutside
  }

  /// An authorized and retried call, and how many refreshes it took.
  private func call(
    _ order: Order, _ answers: ScriptedTransport.Answer...
  ) -> (call: RetriedCall, refreshes: Int) {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      answers[min(number, answers.count) - 1]
    }
    let refreshes = Lock(0)
    let grant = ClosureGrant { _ in
      let number = refreshes.withLock { count in
        count += 1
        return count
      }
      return Just(TokenResponse(accessToken: "t\(number)")).setFailureType(to: (any Error).self)
    }
    let session = TokenSession(
      grant: grant, store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: scheduler)
    let plain = TestAPI(transport: transport).get(endpoint: "a")
    let policy = RetryPolicy.test(scheduler)
    let publisher =
      switch order {
      case .retryOutside: session.authorize(plain).retry(policy)
      case .sessionOutside: session.authorize(plain.retry(policy))
      }
    let call = RetriedCall(scheduler, transport)
    publisher.validateStatus().receive(subscriber: call.subscriber)
    scheduler.run()
    return (call, refreshes.withLock { $0 })
  }

  @Test(
    "401 → refresh → 503 → retry → 401 is one refresh and a final error", arguments: Order.allCases)
  func story(order: Order) throws {
    let (call, refreshes) = call(order, .status(401), .status(503), .status(401), .status(200))
    let error = try #require(call.error)
    #expect(error.isUnauthorized)
    #expect(error.attempts == 3)
    #expect(refreshes == 1)
    #expect(
      call.transport.values(of: "Authorization") == ["Bearer t0", "Bearer t1", "Bearer t1"])
    #expect(call.attempts.map(\.cause) == [.first, .refresh, .retry])
  }

  @Test("A refresh and a retry both help one call", arguments: Order.allCases)
  func success(order: Order) {
    let (call, refreshes) = call(order, .status(503), .status(401), .status(200))
    #expect(call.status == 200)
    #expect(refreshes == 1)
    #expect(call.attempts.map(\.cause) == [.first, .retry, .refresh])
  }

  @Test("A wait for the token ends with the whole time of the call, and nothing is sent")
  func timeIsOver() throws {
    let call = RetriedCall(waitingForToken: .seconds(6))
    let error = try #require(call.error)
    #expect(error.kind == .transport(.timedOut))
    #expect(error.reason.contains("RetryPolicy.totalTime"))
    #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
    #expect(call.attempts.isEmpty)
  }
}
