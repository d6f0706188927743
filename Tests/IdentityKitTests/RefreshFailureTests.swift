import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import IdentityKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Refreshes that fail")
struct RefreshFailureTests {
  /// The cause of a refresh that failed, with what was sent and what is stored.
  private func refreshFailure(
    _ answer: Result<Data, any Error>, status: Int = 200, isRefused: Bool = false
  ) async throws -> any Error {
    let stubs = StubTransport(Identity.script(refresh: answer, status: status))
    let tokens = MemoryTokenStore(Identity.credential)
    let error = try await IdentityService(stubs, tokens: tokens).profileError()
    #expect(stubs.requests.map(\.httpMethod) == ["GET", "POST"])
    // A refusal of the credential itself ends the session; everything else keeps it.
    #expect(tokens.read() == (isRefused ? nil : Identity.credential))
    try stubs.verify()
    switch error {
    case .session(.refreshRefused(let cause)) where isRefused: return cause
    case .session(.refreshFailed(let cause)) where !isRefused: return cause
    default: throw error
    }
  }

  @Test("An empty body ends the call, and nothing more is sent")
  func emptyBody() async throws {
    let cause = try #require(await refreshFailure(.success(Data())) as? RESTError)
    #expect(cause.kind == .malformedResponse)
    #expect(cause.request?.description == "POST https://id.example.com/auth/refresh")
  }

  @Test("A body that is not JSON ends the call", arguments: ["Invalid", "<html>", "{"])
  func notJSON(body: String) async throws {
    let cause = try #require(await refreshFailure(.json(body)) as? RESTError)
    #expect(cause.kind == .malformedResponse)
  }

  @Test(
    "A response without a token ends the call",
    arguments: [
      "{}", #"{"result": {}}"#, #"{"result": null}"#, #"{"result": {"accessToken": null}}"#,
      #"{"accessToken": 1.5}"#, "[]",
    ])
  func noToken(body: String) async throws {
    let cause = try #require(await refreshFailure(.json(body)) as? RESTError)
    #expect(cause.kind == .decoding)
  }

  @Test(
    "An empty token ends the call and is not stored",
    arguments: [#"{"result": {"accessToken": ""}}"#, #"{"accessToken": " \n"}"#])
  func emptyToken(body: String) async throws {
    #expect(try await refreshFailure(.json(body)) as? RefreshError == .emptyAccessToken)
  }

  @Test(
    "Any other status ends the call, and the session if it says that the refresh token is dead",
    arguments: [
      (400, "invalid_grant", true), (403, "invalid_grant", true), (401, "invalid_grant", true),
      (401, "", true), (400, "", false), (403, "", false), (429, "invalid_grant", false),
      (500, "", false), (503, "", false),
    ])
  func status(status: Int, code: String, isRefused: Bool) async throws {
    let answer = #"{"error": "\#(code)"}"#
    let cause = try #require(
      await refreshFailure(.json(answer), status: status, isRefused: isRefused) as? RESTError)
    #expect(cause.kind == .status(status))
    #expect(cause.body == Data(answer.utf8))
  }

  @Test("A failure of the transport ends the call")
  func transportFails() async throws {
    #expect(try await refreshFailure(.failure(TestFailure())) as? TestFailure == TestFailure())
  }

  @Test("A second 401 is final: there is no second refresh and no third request")
  func secondUnauthorized() async throws {
    let stubs = StubTransport(
      Identity.script(
        refresh: .json(Identity.refreshed), retry: #"{"title": "no"}"#, retryStatus: 401))
    let error = try await IdentityService(stubs).profileError()
    guard case .unauthorized(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.isUnauthorized)
    #expect(cause.body == Data(#"{"title": "no"}"#.utf8))
    #expect(
      "\(error)" == """
        No profile: the access token was refused again after a refresh. \
        GET https://id.example.com/me: the server answered 401 Unauthorized. \
        The server's own words are in the error's `problem` or `body`.
        """)
    #expect(stubs.requests.count == 3)
    try stubs.verify()
  }

  @Test("Without a refresh token nothing more is sent")
  func noRefreshToken() async throws {
    let stubs = StubTransport(Identity.unauthorized())
    let tokens = MemoryTokenStore(Credential(accessToken: "expired"))
    let error = try await IdentityService(stubs, tokens: tokens).profileError()
    guard case .session(.refreshRefused(let cause)) = error else {
      Issue.record("\(error)")
      return
    }
    #expect((cause as? RESTError)?.kind == .status(401))
    #expect((cause as? RESTError)?.underlyingError as? RefreshError == .noRefreshToken)
    #expect(
      "\(error)".contains("the server refused its token, and there is no refresh token. Sign in"))
    #expect(stubs.requests.count == 1)
  }

  @Test("A signed-out call sends nothing")
  func signedOut() async throws {
    let stubs = StubTransport()
    let error = try await IdentityService(stubs, tokens: MemoryTokenStore()).profileError()
    guard case .session(.signedOut) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(stubs.requests.isEmpty)
  }

  @Test("A sign-out between the 401 and the refresh ends the call without a refresh")
  func signedOutBeforeRefresh() async throws {
    let tokens = MemoryTokenStore(Identity.credential)
    let stubs = StubTransport(
      Identity.unauthorized().thenVerifyRequest { _ in tokens.write(nil) })
    let error = try await IdentityService(stubs, tokens: tokens).profileError()
    guard case .session(.signedOut) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(stubs.requests.count == 1)
  }

  @Test("A sign-out while the refresh runs keeps the store empty")
  func signedOutDuringRefresh() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      Identity.unauthorized().thenRespondWith(
        request: Identity.refresh, result: .json(Identity.refreshed), delay: .seconds(1)),
      scheduler: scheduler)
    let tokens = MemoryTokenStore(Identity.credential)
    let service = IdentityService(stubs, tokens: tokens)
    let subscriber = TestSubscriber<Result<User.Profile, FetchProfileError>, Never>()
    service.fetchProfile.receive(subscriber: subscriber)
    #expect(stubs.requests.count == 2)
    try service.signOut()
    scheduler.advance(by: .seconds(1))

    #expect(tokens.read() == nil)
    #expect(stubs.requests.count == 2)
    guard case .failure(.session(.signedOut)) = subscriber.values.first else {
      Issue.record("\(subscriber.values)")
      return
    }
    #expect(subscriber.isFinished)
  }

  @Test("A sign-in of another user while the refresh runs keeps the other user's credential")
  func otherUserDuringRefresh() throws {
    let scheduler = TestScheduler()
    let stubs = StubTransport(
      Identity.unauthorized().thenRespondWith(
        request: Identity.refresh, result: .json(Identity.refreshed), delay: .seconds(1)),
      scheduler: scheduler)
    let tokens = MemoryTokenStore(Identity.credential)
    let service = IdentityService(stubs, tokens: tokens)
    let subscriber = TestSubscriber<Result<User.Profile, FetchProfileError>, Never>()
    service.fetchProfile.receive(subscriber: subscriber)
    let other = Credential(accessToken: "other", refreshToken: "other-refresh")
    try service.signIn(other)
    scheduler.advance(by: .seconds(1))
    #expect(tokens.read() == other)
    #expect(stubs.requests.count == 2)
  }
}
