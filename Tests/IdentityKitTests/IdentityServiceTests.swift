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

@Suite("The requests and results of fetching a profile")
struct IdentityServiceTests {
  @Test("A profile is fetched with the access token, as JSON, in one request")
  func success() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Identity.me, result: .json(Identity.profile))
        .thenVerifyRequest { request in
          #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer expired")
          #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
          #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
          #expect(request.httpBody == nil)
        })
    let result = try await IdentityService(stubs).fetchProfile.value
    #expect(try result.get() == Identity.ada)
    try stubs.verify()
  }

  @Test("One value comes, then the end; nothing is sent before a subscription")
  func signals() {
    let stubs = StubTransport(
      StubAPIResponse(request: Identity.me, result: .json(Identity.profile)))
    let publisher = IdentityService(stubs).fetchProfile
    #expect(stubs.requests.isEmpty)
    let subscriber = TestSubscriber<Result<User.Profile, FetchProfileError>, Never>()
    publisher.receive(subscriber: subscriber)
    #expect(subscriber.values.count == 1)
    #expect(subscriber.isFinished)
    #expect(stubs.requests.count == 1)
  }

  @Test("A body that is not JSON is the malformed-response error")
  func invalid() async throws {
    let stubs = StubTransport(StubAPIResponse(request: Identity.me, result: .json("Invalid")))
    let error = try await IdentityService(stubs).profileError()
    guard case .malformedResponse(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.kind == .malformedResponse)
    #expect(cause.body == Data("Invalid".utf8))
    #expect(
      "\(error)" == """
        No profile. GET https://id.example.com/me: the response is not JSON at byte 0 (line 1, \
        column 1): expected a value, found a letter. \
        Check that the URL is the API's, and that the server sends JSON there.
        """)
    #expect(stubs.requests.count == 1)
  }

  @Test("An empty body is the malformed-response error")
  func empty() async throws {
    let stubs = StubTransport(StubAPIResponse(request: Identity.me))
    let error = try await IdentityService(stubs).profileError()
    guard case .malformedResponse(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.reason.contains("the body is empty"))
  }

  @Test("The requests of 401, refresh and success have the right method, header fields and body")
  func refresh() async throws {
    let stubs = StubTransport(
      Identity.unauthorized()
        .thenVerifyRequest { request in
          #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer expired")
        }
        .thenRespondWith(request: Identity.refresh, result: .json(Identity.refreshed))
        .thenVerifyRequest { request in
          #expect(request.httpMethod == "POST")
          #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
          #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
          #expect(request.value(forHTTPHeaderField: "Authorization") == nil)
          #expect(request.httpBody == Data(#"{"refreshToken":"refresh-1"}"#.utf8))
        }
        .thenRespondWith(request: Identity.me, result: .json(Identity.profile))
        .thenVerifyRequest { request in
          #expect(request.httpMethod == "GET")
          #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer fresh")
          #expect(request.value(forHTTPHeaderField: "Accept") == "application/json")
          #expect(request.value(forHTTPHeaderField: "Content-Type") == "application/json")
          #expect(request.httpBody == nil)
        })
    let tokens = MemoryTokenStore(Identity.credential)
    let result = try await IdentityService(stubs, tokens: tokens).fetchProfile.value
    #expect(try result.get() == Identity.ada)
    #expect(tokens.read()?.accessToken == "fresh")
    #expect(tokens.read()?.refreshToken == "refresh-1")
    try stubs.verify()
  }

  @Test("The refresh response may have no envelope, and may have a new refresh token")
  func rotation() async throws {
    let answer = #"{"accessToken": "fresh", "refreshToken": "refresh-2", "expiresIn": 60}"#
    let stubs = StubTransport(Identity.script(refresh: .json(answer), retry: Identity.profile))
    let tokens = MemoryTokenStore(Identity.credential)
    _ = try await IdentityService(stubs, tokens: tokens).fetchProfile.value.get()
    let stored = try #require(tokens.read())
    #expect([stored.accessToken, stored.refreshToken] == ["fresh", "refresh-2"])
    let left = try #require(stored.expiresAt).timeIntervalSinceNow
    #expect(left > 0 && left <= 60)
    try stubs.verify()
  }

  @Test("The new tokens are stored before the request is sent again")
  func storedBeforeRetry() async throws {
    let tokens = MemoryTokenStore(Identity.credential)
    let stubs = StubTransport(
      Identity.script(refresh: .json(Identity.refreshed), retry: Identity.profile)
        .thenVerifyRequest { _ in #expect(tokens.read()?.accessToken == "fresh") })
    _ = try await IdentityService(stubs, tokens: tokens).fetchProfile.value.get()
    try stubs.verify()
  }

  @Test("The next call uses the new token at once")
  func nextCall() async throws {
    let stubs = StubTransport(
      Identity.script(refresh: .json(Identity.refreshed), retry: Identity.profile)
        .thenRespondWith(request: Identity.me, result: .json(Identity.profile))
        .thenVerifyRequest { request in
          #expect(request.value(forHTTPHeaderField: "Authorization") == "Bearer fresh")
        })
    let service = IdentityService(stubs)
    for _ in 1...2 { _ = try await service.fetchProfile.value.get() }
    try stubs.verify()
  }

  @Test("The base URL may have a path and a trailing slash")
  func basePath() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: "https://h.example/id/v2/me"),
        result: .json(Identity.profile)))
    let service = IdentityService(
      baseURL: "https://h.example/id/v2/", transport: stubs,
      tokens: MemoryTokenStore(Identity.credential), deliveringOn: .immediate)
    _ = try await service.fetchProfile.value.get()
    try stubs.verify()
  }

  @Test("The base URL FA KE is an error, and nothing is sent")
  func fake() async throws {
    let stubs = StubTransport()
    let error = try await IdentityService(
      baseURL: "FA KE", transport: stubs, tokens: MemoryTokenStore(Identity.credential),
      deliveringOn: .immediate
    ).profileError()
    guard case .requestFailed(let cause as RESTError) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.kind == .invalidBaseURL)
    #expect(stubs.requests.isEmpty)
  }

  @Test(
    "Any other status is the server's failure, and causes no refresh",
    arguments: [400, 403, 404, 500])
  func otherStatus(status: Int) async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Identity.me, statusCode: status, result: .json("Invalid")))
    let error = try await IdentityService(stubs).profileError()
    guard case .requestFailed(let cause as RESTError) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause.kind == .status(status))
    #expect(cause.body == Data("Invalid".utf8))
    #expect(stubs.requests.count == 1)
  }

  @Test("A failure of the transport is the call's failure, and causes no refresh")
  func transportFails() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Identity.me, result: .failure(TestFailure())))
    let error = try await IdentityService(stubs).profileError()
    guard case .requestFailed(let cause) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(cause as? TestFailure == TestFailure())
    #expect(stubs.requests.count == 1)
  }

  @Test("Signing in stores a credential, and signing out removes it")
  func signInAndOut() throws {
    let tokens = MemoryTokenStore()
    let service = IdentityService(StubTransport(), tokens: tokens)
    try service.signIn(Identity.credential)
    #expect(tokens.read() == Identity.credential)
    try service.signOut()
    #expect(tokens.read() == nil)
  }
}
