import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("RT-14: one call with several layers of repetition")
struct RetryCompositionTests {
  /// The outer stage: the repetition after a refresh, or the retry policy.
  enum Order: CaseIterable, Sendable {
    case retryOutside, refreshOutside
  }

  /// What renews the token of a refused request.
  enum Renewal: CaseIterable, Sendable {
    case byHand, bySession
  }

  /// A call under both, with its responses.
  private func call(
    _ order: Order, _ answers: ScriptedTransport.ServerResponse...,
    renewed renewal: Renewal = .byHand,
    refreshes: ValueLog<String> = ValueLog<String>()
  ) -> RetriedCall {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, _ in
      answers[min(number, answers.count) - 1]
    }
    let call = RetriedCall(scheduler, transport)
    let api = TestAPI(transport: transport)
    let policy = RetryPolicy.test(scheduler)
    let publisher =
      switch renewal {
      case .byHand:
        Self.call(
          order, policy,
          of: api.get(endpoint: "a") {
            $0.adding("Authorization", "Bearer t\(refreshes.all.count)")
          }
        ) { $0.refreshing(on: scheduler, refreshes) }
      case .bySession:
        Self.call(order, policy, of: api.get(endpoint: "a")) {
          Self.session(on: scheduler, refreshes).authorize($0)
        }
      }
    publisher.validateStatus().receive(subscriber: call.subscriber)
    scheduler.run()
    return call
  }

  private typealias Response = AnyPublisher<RESTResponse, any Error>

  private static func call(
    _ order: Order, _ policy: RetryPolicy, of plain: Response, renewing: (Response) -> Response
  ) -> Response {
    switch order {
    case .retryOutside: renewing(plain).retry(policy)
    case .refreshOutside: renewing(plain.retry(policy))
    }
  }

  /// A session with the token t0, which its refreshes renew to t1, t2 and so on.
  private static func session(
    on scheduler: any Scheduler, _ refreshes: ValueLog<String>
  ) -> TokenSession {
    let grant = ClosureGrant { _ in
      refreshes.add("refresh")
      return Just(TokenResponse(accessToken: "t\(refreshes.all.count)"))
        .setFailureType(to: (any Error).self)
    }
    return TokenSession(
      grant: grant, store: MemoryTokenStore(Credential(accessToken: "t0", refreshToken: "r")),
      scheduler: scheduler)
  }

  @Test(
    "401, refresh, 503, retry, 401: one refresh, a final error", .leakFree,
    arguments: Order.allCases, Renewal.allCases)
  func story(order: Order, renewal: Renewal) throws {
    let refreshes = ValueLog<String>()
    let call = call(
      order, .status(401), .status(503), .status(401), .status(200), renewed: renewal,
      refreshes: refreshes)
    let error = try #require(call.error)
    #expect(error.isUnauthorized)
    #expect(error.attempts == 3)
    #expect(refreshes.all.count == 1)
    #expect(call.attempts.map(\.cause) == [.first, .refresh, .retry])
    #expect(
      call.transport.values(of: "Authorization") == ["Bearer t0", "Bearer t1", "Bearer t1"])
  }

  @Test("A refresh's repetition is an attempt of the one budget", arguments: Order.allCases)
  func oneBudget(order: Order) throws {
    let call = call(order, .status(503), .status(401), .status(503), .status(200))
    #expect(call.error?.kind == .status(503))
    #expect(call.error?.attempts == 3)
    #expect(call.refusal == "3 of 3 attempts are used up, see RetryPolicy.maxAttempts")
  }

  @Test("A repetition beyond the last attempt is not counted as one", arguments: Order.allCases)
  func lastRepetition(order: Order) throws {
    let call = call(order, .status(503), .status(503), .status(401), .status(503), .status(200))
    #expect(call.error?.kind == .status(503))
    #expect(call.sends == 4)
    #expect(call.refusal == "3 of 3 attempts are used up, see RetryPolicy.maxAttempts")
  }

  @Test(
    "A refresh and a retry both help one call", .leakFree,
    arguments: Order.allCases, Renewal.allCases)
  func success(order: Order, renewal: Renewal) {
    let refreshes = ValueLog<String>()
    let call = call(
      order, .status(503), .status(401), .status(200), renewed: renewal, refreshes: refreshes)
    #expect(call.status == 200)
    #expect(refreshes.all.count == 1)
    #expect(call.attempts.map(\.cause) == [.first, .retry, .refresh])
  }

  @Test("A wait for the token ends with the whole time of the call, and nothing is sent", .leakFree)
  func timeIsOver() throws {
    let call = RetriedCall(waitingForToken: .seconds(6))
    let error = try #require(call.error)
    #expect(error.kind == .transport(.timedOut))
    #expect(error.reason.contains("RetryPolicy.totalTime"))
    #expect((error.underlyingError as? TransportError)?.mayHaveBeenProcessed == false)
    #expect(call.attempts.isEmpty)
  }

  @Test("A retry begins with the first request of a redirect; hops are not attempts")
  func redirect() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(on: scheduler) { number, request in
      request.url?.path == "/v1/a"
        ? .status(302, ["Location": "/v1/b"]) : .status(number < 5 ? 503 : 200)
    }
    let call = RetriedCall(scheduler, transport)
    TestAPI(transport: transport).get(endpoint: "a").retry(.test(scheduler))
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 200)
    #expect(
      transport.requests.compactMap(\.url?.lastPathComponent) == ["a", "b", "a", "b", "a", "b"])
    #expect(call.attempts.map(\.number) == [1, 1, 2, 2, 3, 3])
    #expect(
      call.attempts.map(\.cause) == [.first, .redirect, .retry, .redirect, .retry, .redirect])
  }

  @Test("A POST redirected to an unreachable server is not posted again")
  func redirectedPost() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(303, ["Location": "/v1/b"]),
      .fault(.connectionRefused, mayHaveBeenProcessed: false), on: scheduler)
    let call = RetriedCall(scheduler, transport)
    TestAPI(transport: transport).post(endpoint: "a", body: nil).retry(.test(scheduler))
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.error?.kind == .transport(.connectionRefused))
    #expect(transport.requests.map(\.httpMethod) == ["POST", "GET"])
  }

  @Test("The time limit of an attempt includes its redirects")
  func redirectTimeout() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(302, ["Location": "/v1/a"]), on: scheduler, taking: .seconds(1))
    let call = RetriedCall(scheduler, transport)
    TestAPI(transport: transport).get(endpoint: "a")
      .retry(
        .test(scheduler) {
          $0.maxAttempts = 1
          $0.attemptTimeout = .milliseconds(2_500)
        }
      )
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.error?.kind == .transport(.timedOut))
    #expect(call.sends == 3)
  }

  @Test("retryOnceOnUnauthorizedResponse inside a retry allows one refresh per attempt")
  func seedOperator() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .status(401), .status(503), .status(200), on: scheduler)
    let call = RetriedCall(scheduler, transport)
    TestAPI(transport: transport).get(endpoint: "a")
      .retryOnceOnUnauthorizedResponse(chainedRequest: Empty<Int, any Error>())
      .retry(.test(scheduler)).receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 200)
    #expect(call.sends == 3)
  }
}

@Suite("A retry policy of an API")
struct RetryingAPITests {
  private static let never = RetryPolicy(maxAttempts: 1)

  @Test("The API's policy applies to each of its verbs", arguments: VerbKind.allCases)
  func verbs(verb: VerbKind) {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(
      .fault(.connectionRefused, mayHaveBeenProcessed: false), .status(200), on: scheduler)
    let api = TestAPI(transport: transport, retry: .test(scheduler))
    let call = RetriedCall(scheduler, transport)
    api.request(verb.method, endpoint: "a").receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.status == 200)
    #expect(call.sends == 2)
  }

  @Test("The API's policy applies to uploads and downloads")
  func transfers() throws {
    let folder = try TemporaryFolder()
    let file = folder.url.appendingPathComponent("file")
    let scheduler = TestScheduler()
    func scripted() -> ScriptedTransport {
      ScriptedTransport(
        .fault(.connectionRefused, mayHaveBeenProcessed: false), .status(200), on: scheduler)
    }
    let (up, down) = (scripted(), scripted())
    let upload = TestSubscriber<UploadEvent, any Error>()
    TestAPI(transport: up, retry: .test(scheduler))
      .upload(endpoint: "a", body: .data(Data("x".utf8))).receive(subscriber: upload)
    let download = TestSubscriber<DownloadEvent, any Error>()
    TestAPI(transport: down, retry: .test(scheduler))
      .download(endpoint: "a", to: file).receive(subscriber: download)
    scheduler.run()
    #expect(upload.isFinished)
    #expect(download.isFinished)
    #expect(up.requests.count == 2)
    #expect(down.requests.count == 2)
    #expect(try folder.names == ["file"])
  }

  @Test("An outer retry disables the API's policy, so attempts do not multiply")
  func outerWins() {
    let scheduler = TestScheduler()
    let transport = ScriptedTransport(.status(503), on: scheduler)
    let api = TestAPI(transport: transport, retry: .test(scheduler) { $0.budget = nil })
    for (most, sends) in [(1, 1), (2, 2), (4, 4)] {
      let before = transport.requests.count
      let call = RetriedCall(scheduler, transport)
      api.get(endpoint: "a").map { $0 }.retry(.test(scheduler) { $0.maxAttempts = most })
        .receive(subscriber: call.subscriber)
      scheduler.run()
      #expect(call.sends - before == sends)
    }
  }

  @Test("The outermost of several policies replaces the API's")
  func outermost() {
    let scheduler = TestScheduler()
    let call = RetriedCall(scheduler, ScriptedTransport(.status(503), on: scheduler))
    TestAPI(transport: call.transport).get(endpoint: "a")
      .retry(.test(scheduler) { $0.maxAttempts = 9 })
      .retry(.test(scheduler) { $0.maxAttempts = 2 })
      .receive(subscriber: call.subscriber)
    scheduler.run()
    #expect(call.sends == 2)
  }

  @Test("Without a policy an API does not retry")
  func none() {
    let call = RetriedCall(TestScheduler(), ScriptedTransport(.status(503), on: .immediate))
    TestAPI(transport: call.transport).get(endpoint: "a").receive(subscriber: call.subscriber)
    #expect(call.sends == 1)
    #expect(call.status == 503)
  }
}

extension Publisher where Output == RESTResponse, Failure == any Error {
  /// Stands in for a session: sends a call that is answered with 401 again after a refresh, once.
  fileprivate func refreshing(
    on clock: any Scheduler, _ log: ValueLog<String>
  ) -> AnyPublisher<RESTResponse, any Error> {
    DeferredInContext { context in
      let call = context.call ?? LogicalCall(clock: clock)
      let (scope, inside) = context.beginningScope(of: call)
      return tryMap { response in
        if response.statusCode == 401, call.takeRefresh() { throw TestFailure(name: "401") }
        return response
      }
      .retryOn(
        { $0 is TestFailure }, retries: 1,
        chainedPublisher: Deferred {
          log.add("refresh")
          call.beginRepetition(of: scope, cause: .refresh)
          return Empty<Never, any Error>()
        }
      )
      .context(ScopedCall.Key.self, inside[ScopedCall.Key.self])
    }
    .eraseToAnyPublisher()
  }
}
