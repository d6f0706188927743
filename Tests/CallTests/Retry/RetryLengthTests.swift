import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitReports

/// Calls with very many attempts.
///
/// Their cost does not grow with their past.
@Suite("A call of thousands of attempts", .leakFree)
struct RetryLengthTests {
  private func call(attempts: Int, _ answer: ScriptedTransport.ServerResponse) -> RetriedCall {
    RetriedCall(answer) { policy in
      policy.maxAttempts = attempts
      policy.totalTime = nil
      policy.budget = nil
    }
  }

  @Test("RT-16 The log has 256 events and a gap, whose requests count")
  func log() throws {
    let call = call(attempts: 4_000, .fault(.connectionRefused, mayHaveBeenProcessed: false))
    let error = try #require(call.error)
    #expect(call.sends == 4_000)
    #expect(error.attempts == 4_000)
    let events = try #require(error.log).events
    #expect(events.count == 257)
    guard case .omitted(let omitted, let requests) = events[64].kind else {
      Issue.record("\(events[64])")
      return
    }
    // Built, sent, failed, and a wait or the word that there is none.
    #expect(omitted == 4 * 4_000 - 256)
    #expect(requests + call.attempts.count == 4_000)
    #expect(call.attempts.last?.number == 4_000)
    #expect(error.log?.attributes["http.request.resend_count"] == .integer(3_999))
    #expect(call.refusal == "4000 of 4000 attempts are used up, see RetryPolicy.maxAttempts")
  }

  @Test("RT-16 The picture and the text say how much is left out")
  func picture() throws {
    let call = call(attempts: 400, .fault(.connectionRefused, mayHaveBeenProcessed: false))
    let log = try #require(call.error?.log)
    let words = "1344 events are left out here, with 336 requests that were sent"
    #expect("\(log)".split(separator: "\n")[64].hasSuffix(words))
    let picture = CallPicture([log])
    #expect(picture.svg.contains("336 requests are left out"))
    #expect(picture.html.contains("336 requests are left out"))
    #expect(picture.html.contains(words))
    let rows = CallChart([log], title: nil).rows
    let gap = try #require(rows.firstIndex { $0.label == "336 requests are left out" })
    #expect(rows[gap - 1].spans.last.map { $0.end <= rows[gap].spans[0].start } == true)
    #expect(rows[gap].spans[0].end <= rows[gap + 1].spans[0].start)
  }

  @Test("A complete log has no gap")
  func whole() throws {
    let call = call(attempts: 64, .fault(.connectionRefused, mayHaveBeenProcessed: false))
    #expect(call.log.count == 256)
    #expect(call.attempts.count == 64)
  }

  @Test("An observer gets all events, and the log with its gap")
  func observed() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(503), on: scheduler)
    let observed = ObservedTransport(transport, clock: scheduler)
    let events = Lock(0)
    let logs = TestSubscriber<CallLog, Never>()
    let listening = observed.callEvents.sink { _ in events.withLock { $0 += 1 } }
    observed.callLogs.receive(subscriber: logs)
    TestAPI(transport: observed).get(endpoint: "a")
      .retry(
        .test(scheduler) { policy in
          policy.maxAttempts = 100
          policy.totalTime = nil
          policy.budget = nil
        }
      )
      .receive(subscriber: TestSubscriber())
    scheduler.run()
    #expect(events.withLock { $0 } == 100 * 4 + 1)
    #expect(logs.values.map(\.events.count) == [257])
    listening.cancel()
    logs.cancel()
  }
}
