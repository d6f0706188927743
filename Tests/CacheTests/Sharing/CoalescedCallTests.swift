import Fixtures
import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Each caller's own steps after a shared exchange", .leakFree)
struct CoalescedCallTests {
  private typealias Subscriber = TestSubscriber<RESTResponse, any Error>

  private let scheduler = TestScheduler()
  private let transport = HeldTransport()
  private let coalescer = RequestCoalescer()
  private let logs = TestSubscriber<CallLog, Never>()

  /// An API whose calls are observed.
  private func observed(_ transport: (any Transport)? = nil) -> TestAPI {
    let observed = ObservedTransport(transport ?? self.transport, clock: scheduler)
    observed.callLogs.receive(subscriber: logs)
    return TestAPI(baseURL: TokenServer.origin, transport: observed)
  }

  private func begin(_ publisher: some Publisher<RESTResponse, any Error>) -> Subscriber {
    let subscriber = Subscriber()
    publisher.receive(subscriber: subscriber)
    return subscriber
  }

  private func bodies(_ subscriber: Subscriber) -> [String] {
    subscriber.values.map { String(decoding: $0.data, as: UTF8.self) }
  }

  private func story(_ log: CallLog) -> [String] { log.events.map(\.description) }

  @Test("Each log names the caller that sent the request, and those that joined")
  func stories() {
    let call = observed().get(endpoint: "a").coalesced(in: coalescer)
    let callers = [begin(call), begin(call)]
    transport.answer(0)
    #expect(callers.map(bodies) == [["0"], ["0"]])
    #expect(
      logs.values.map(story) == [
        ["built GET https://api.example.com/a", "sent, attempt 1", "answered 200 OK", "ended"],
        [
          "built GET https://api.example.com/a",
          "joined the same request of another call, attempt 1",
          "answered 200 OK", "ended",
        ],
      ])
    #expect(
      logs.values.map { $0.attributes["http.response.status_code"] } == [
        .integer(200), .integer(200),
      ])
  }

  @Test("A cancel is in the caller's own log, and the others have their own logs")
  func cancelled() {
    let call = observed().get(endpoint: "a").coalesced(in: coalescer)
    let callers = [begin(call), begin(call)]
    callers[0].cancel()
    transport.answer(0)
    #expect(bodies(callers[1]) == ["0"])
    #expect(
      logs.values.map { story($0).suffix(2) } == [
        ["cancelled", "ended"], ["answered 200 OK", "ended"],
      ])
  }

  @Test("A failure goes to all callers, each with the log of its own call")
  func failure() throws {
    let call = observed().get(endpoint: "a").coalesced(in: coalescer)
    let callers = [begin(call), begin(call)]
    transport.fail(0)
    let errors = try callers.map { try #require($0.failure as? RESTError) }
    #expect(errors.map(\.kind) == [.transport(.connectionReset), .transport(.connectionReset)])
    #expect(errors.map(\.attempts) == [1, 1])
    let stories = try errors.map { story(try #require($0.log)) }
    #expect(stories[0].contains("sent, attempt 1"))
    #expect(stories[1].contains("joined the same request of another call, attempt 1"))
  }

  @Test("Each caller's policy decides about the shared failure")
  func ownRetries() {
    let call = observed().get(endpoint: "a").coalesced(in: coalescer)
    let patient = begin(call.retry(.test(scheduler)))
    let plain = begin(call)
    transport.fail(0)
    #expect((plain.failure as? RESTError)?.kind == .transport(.connectionReset))
    #expect(patient.completions.isEmpty)
    scheduler.advance(by: .seconds(2))
    #expect(transport.requests.count == 2)
    transport.answer(1)
    #expect(bodies(patient) == ["1"])
  }

  @Test("Concurrent retries share again, and each counts its attempts")
  func retries() {
    let call = observed().get(endpoint: "a").coalesced(in: coalescer)
    let callers = (1...3).map { _ in begin(call.retry(.test(scheduler))) }
    transport.answer(0, 503)
    #expect(transport.requests.count == 1)
    scheduler.advance(by: .seconds(2))
    #expect(transport.requests.count == 2)
    transport.answer(1)
    #expect(callers.map(bodies) == [["1"], ["1"], ["1"]])
    let joined = "joined the same request of another call, attempt"
    #expect(
      story(logs.values[0]).filter { $0.hasPrefix("sent") } == [
        "sent, attempt 1", "sent, attempt 2, a retry",
      ])
    for log in logs.values.dropFirst() {
      #expect(
        story(log).filter { $0.hasPrefix("joined") } == ["\(joined) 1", "\(joined) 2, a retry"])
    }
  }

  @Test("A caller's attempt timeout ends only its own wait, and the exchange continues")
  func attemptTimeout() {
    let call = observed().get(endpoint: "a").coalesced(in: coalescer)
    let hasty = begin(
      call.retry(
        .test(scheduler) {
          $0.attemptTimeout = .seconds(1)
          $0.maxAttempts = 1
        }))
    let patient = begin(call)
    scheduler.advance(by: .seconds(1))
    #expect((hasty.failure as? RESTError)?.kind == .transport(.timedOut))
    #expect(transport.cancelCount == 0)
    transport.answer(0)
    #expect(bodies(patient) == ["0"])
  }

  @Test("A refusal goes to all callers, with one refresh and one shared repetition")
  func refusal() {
    let world = SessionWorld(scheduler)
    world.server.delay("a", by: .milliseconds(10))
    world.server.expireTokens()
    let call = world.get("a").coalesced(in: coalescer)
    let callers = (1...10).map { _ in world.begin(call) }
    scheduler.run()
    #expect(callers.map(\.outcome) == Array(repeating: "200", count: 10))
    #expect(world.server.refreshes == 1)
    #expect(world.server.tokens(at: "a") == ["t0", "t1"])
  }

  @Test("Each redirect is shared, too")
  func redirects() {
    let call = observed().get(endpoint: "a").coalesced(in: coalescer)
    let callers = [begin(call), begin(call)]
    transport.answer(0, 302, headers: ["Location": "/b"])
    #expect(transport.paths == ["/a", "/b"])
    transport.answer(1)
    #expect(callers.map(bodies) == [["1"], ["1"]])
    #expect(
      story(logs.values[1]) == [
        "built GET https://api.example.com/a", "joined the same request of another call, attempt 1",
        "answered 302 Found", "redirected to GET https://api.example.com/b",
        "joined the same request of another call, attempt 1, after a redirect", "answered 200 OK",
        "ended",
      ])
  }

  @Test("A direct request to a redirect's target shares with the redirected ones")
  func redirectedAndNot() {
    let api = observed()
    let redirected = begin(api.get(endpoint: "a").coalesced(in: coalescer))
    transport.answer(0, 302, headers: ["Location": "/b"])
    let straight = begin(api.get(endpoint: "b").coalesced(in: coalescer))
    #expect(transport.paths == ["/a", "/b"])
    transport.answer(1)
    #expect(bodies(redirected) == ["1"])
    #expect(bodies(straight) == ["1"])
  }

  @Test("A caller with less time left than an exchange may take sends its own request")
  func timeLeft() throws {
    let start = ContinuousClock.now
    let clock = TestScheduler()
    let url = try #require(URL(string: "https://api.example.com/a"))
    func plan() -> RequestPlan {
      var plan = RequestPlan(way: Way(over: transport, coalescer: coalescer), scopedCall: nil)
      plan.now = { start + clock.now }
      plan.timeLimit = .seconds(60)
      return plan
    }
    var request = URLRequest(url: url)
    request.timeoutInterval = 60
    let redirected = begin(plan().response(for: request).publisher)
    clock.advance(by: .seconds(50))
    request.url = URL(string: "https://api.example.com/b")
    let straight = begin(plan().response(for: request).publisher)
    transport.answer(0, 302, headers: ["Location": "/b"])
    #expect(transport.requests.map { $0.timeoutInterval.rounded() } == [60, 60, 10])
    transport.answer(2)
    #expect(bodies(redirected) == ["2"])
    #expect(straight.values.isEmpty)
    transport.answer(1)
    #expect(bodies(straight) == ["1"])
  }
}
