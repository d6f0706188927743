import Fixtures
import Foundation
import Streams
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Concurrent requests in one call, one of which is refused")
struct SiblingCallTests {
  private let scheduler = TestScheduler()

  private func run(
    _ request: some Publisher<RESTResponse, any Error>, over transport: ScriptedTransport
  ) -> RetriedCall {
    let call = RetriedCall(scheduler, transport)
    request.eraseToAnyPublisher().retry(.test(scheduler)).receive(subscriber: call.subscriber)
    scheduler.run()
    return call
  }

  @Test("TR-01: a refused token is refreshed, whatever token a concurrent request carried")
  func withoutToken() {
    let transport = ScriptedTransport(
      .status(401), .status(200), .status(200), on: scheduler, taking: .milliseconds(10))
    let api = TestAPI(transport: transport)
    let call = run(
      TokenSession.renewing(on: scheduler).authorize(api.get(endpoint: "a"))
        .zip(api.get(endpoint: "b")).map { $0.0 },
      over: transport)
    #expect(call.status == 200)
    #expect(transport.values(of: "Authorization") == ["Bearer t0", nil, "Bearer t1"])
  }

  @Test("TR-12: a request refused after a concurrent request's refresh is sent with the new token")
  func lateRefusal() {
    let transport = ScriptedTransport(
      .status(401), .status(401), .status(200), .status(201), on: scheduler,
      taking: .milliseconds(10))
    let (session, api) = (TokenSession.renewing(on: scheduler), TestAPI(transport: transport))
    let first = session.authorize(api.get(endpoint: "a"))
    let second = Just(()).setFailureType(to: (any Error).self)
      .delay(for: .milliseconds(5), scheduler: scheduler)
      .flatMap { session.authorize(api.get(endpoint: "b")) }
    let call = run(first.zip(second).map { $0.1 }, over: transport)
    #expect(call.status == 201)
    #expect(
      transport.values(of: "Authorization") == ["Bearer t0", "Bearer t0", "Bearer t1", "Bearer t1"])
  }

  @Test("TR-12: a token refused again is final, with any response to a concurrent request")
  func refusedAgain() {
    let transport = ScriptedTransport(.status(401), on: scheduler, taking: .milliseconds(10))
    let (session, api) = (TokenSession.renewing(on: scheduler), TestAPI(transport: transport))
    let first = session.authorize(api.get(endpoint: "a"))
    let second = session.authorize(api.get(endpoint: "b"))
    let call = run(first.zip(second).map { $0.1 }, over: transport)
    #expect((call.subscriber.failure as? RESTError)?.isUnauthorized == true)
    #expect(call.sends == 4)
  }

  /// A session to which a 403 refuses the token, too.
  private func sessionWithRule() -> TokenSession {
    .renewing(on: scheduler) {
      $0.refusals = .unauthorized.or(RefusalRule { $0.statusCode == 403 })
    }
  }

  @Test("TR-12 TR-15: a 403 by a rule is the caller's after the refresh of a concurrent request")
  func lateRefusalByRule() {
    let transport = ScriptedTransport(
      .status(401), .status(403), .status(200), on: scheduler, taking: .milliseconds(10))
    let (session, api) = (sessionWithRule(), TestAPI(transport: transport))
    let first = session.authorize(api.get(endpoint: "a"))
    let second = Just(()).setFailureType(to: (any Error).self)
      .delay(for: .milliseconds(5), scheduler: scheduler)
      .flatMap { session.authorize(api.get(endpoint: "b")) }
    let call = run(first.zip(second).map { $0.1 }, over: transport)
    #expect(call.status == 403)
    #expect(transport.values(of: "Authorization") == ["Bearer t0", "Bearer t0", "Bearer t1"])
  }

  @Test("TR-12 TR-15: a 403 by a rule is the caller's after the refresh of an earlier request")
  func laterRefusalByRule() {
    let transport = ScriptedTransport(
      .status(401), .status(200), .status(403), .status(200), on: scheduler)
    let api = TestAPI(transport: transport)
    let call = run(
      sessionWithRule().authorize(
        api.get(endpoint: "a").validateStatus().flatMap { _ in api.get(endpoint: "b") }),
      over: transport)
    #expect(call.status == 403)
    #expect(transport.values(of: "Authorization") == ["Bearer t0", "Bearer t1", "Bearer t1"])
  }

  @Test("TR-12: the response to a repeated request is final, even if a newer token came meanwhile")
  func replacedMeanwhile() {
    let transport = ScriptedTransport(
      .status(401), .status(401), .status(200), on: scheduler, taking: .milliseconds(10))
    let (session, api) = (TokenSession.renewing(on: scheduler), TestAPI(transport: transport))
    let timer = scheduler.schedule(after: .milliseconds(15)) {
      #expect(throws: Never.self) {
        try session.replaceCredential(with: Credential(accessToken: "t2", refreshToken: "r"))
      }
    }
    let call = run(session.authorize(api.get(endpoint: "a")), over: transport)
    #expect((call.subscriber.failure as? RESTError)?.isUnauthorized == true)
    #expect(call.sends == 2)
    withExtendedLifetime(timer) {}
  }

  @Test("TR-27: a refusal after a sign-out reports the sign-out, even if the call had its refresh")
  func signedOutMeanwhile() {
    let transport = ScriptedTransport(
      .status(401), .status(401), .status(200), on: scheduler, taking: .milliseconds(10))
    let (session, api) = (TokenSession.renewing(on: scheduler), TestAPI(transport: transport))
    let first = session.authorize(api.get(endpoint: "a"))
    let second = Just(()).setFailureType(to: (any Error).self)
      .delay(for: .milliseconds(9), scheduler: scheduler)
      .flatMap { session.authorize(api.get(endpoint: "b")) }
    let timer = scheduler.schedule(after: .milliseconds(15)) {
      #expect(throws: Never.self) { try session.signOut() }
    }
    let call = run(first.zip(second).map { $0.1 }, over: transport)
    guard case .signedOut = call.subscriber.failure as? TokenSessionError else {
      Issue.record("\(String(describing: call.subscriber.failure))")
      return
    }
    withExtendedLifetime(timer) {}
  }

  @Test("TR-28: a call that timed out before a user change is not retried as the new user")
  func anotherUser() throws {
    let transport = ScriptedTransport(.status(200), on: scheduler)
    let session = TokenSession(
      grant: ClosureGrant { [scheduler] _ in
        Just(TokenResponse(accessToken: "t1")).setFailureType(to: (any Error).self)
          .delay(for: .seconds(30), scheduler: scheduler)
      },
      store: MemoryTokenStore(
        Credential(accessToken: "t0", refreshToken: "r", expiresAt: .distantPast)),
      scheduler: scheduler)
    // The store is read.
    let other = TestSubscriber<RESTResponse, any Error>()
    session.authorize(TestAPI(transport: transport).get(endpoint: "b")).receive(subscriber: other)
    let call = RetriedCall(scheduler, transport)
    session.authorize(TestAPI(transport: transport).post(endpoint: "a", body: nil))
      .retry(.test(scheduler) { $0.attemptTimeout = .seconds(1) })
      .receive(subscriber: call.subscriber)
    scheduler.advance(by: .milliseconds(1_100))
    try session.signIn(Credential(accessToken: "u0"))
    scheduler.run()
    guard case .signedOut = call.subscriber.failure as? TokenSessionError else {
      Issue.record("\(call.subscriber.values) \(String(describing: call.subscriber.failure))")
      return
    }
    #expect(call.sends == 0)
    other.cancel()
  }

  @Test("A chained request has its own retries, and no token of the request that waits for it")
  func chainedRequest() {
    let transport = ScriptedTransport(
      .status(401), .status(503), .status(200), .status(201), on: scheduler)
    let api = TestAPI(transport: transport)
    let refresh = api.put(endpoint: "refresh", body: nil).retry(.test(scheduler))
    let call = run(
      api.get(endpoint: "a") { $0.adding("Authorization", "Bearer own") }
        .retryOnceOnUnauthorizedResponse(chainedRequest: refresh),
      over: transport)
    #expect(call.status == 201)
    #expect(transport.requests.map(\.httpMethod) == ["GET", "PUT", "PUT", "GET"])
  }

  @Test("A chained request under a session runs after the session's refresh, without a token")
  func chainedWithinSession() {
    let transport = ScriptedTransport(
      .status(401), .status(401), .status(200), .status(201), on: scheduler)
    let api = TestAPI(transport: transport)
    let call = run(
      TokenSession.renewing(on: scheduler).authorize(
        api.get(endpoint: "a")
          .retryOnceOnUnauthorizedResponse(chainedRequest: api.put(endpoint: "refresh", body: nil))),
      over: transport)
    #expect(call.status == 201)
    #expect(transport.values(of: "Authorization") == ["Bearer t0", "Bearer t1", nil, "Bearer t1"])
  }

  @Test("A chained request carries no validators of the request that waits for it")
  func chainedWithinRevalidation() {
    let (kept, cache) = (ScriptedTransport.ServerResponse.status(200, ["ETag": "1"]), HTTPCache())
    let transport = ScriptedTransport(
      kept, kept, .status(401), .status(200), .status(304), on: scheduler)
    let api = TestAPI(transport: transport)
    for endpoint in ["a", "refresh"] {
      api.get(endpoint: endpoint).cached(in: cache, use: .revalidated)
        .receive(subscriber: TestSubscriber<RESTResponse, any Error>())
    }
    let call = run(
      api.get(endpoint: "a")
        .retryOnceOnUnauthorizedResponse(chainedRequest: api.get(endpoint: "refresh"))
        .cached(in: cache, use: .revalidated),
      over: transport)
    #expect(call.status == 200)
    #expect(transport.values(of: "If-None-Match") == [nil, nil, "1", nil, "1"])
  }
}
