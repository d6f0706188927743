import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A grant that asks through an API with the very session that waits for it.
@Suite("TR-13 A grant in a task, through its own session", .leakFree, .timeLimit(.minutes(10)))
struct GrantInTaskTests {
  private static let origin = TestAPI.origin
  /// A clock that stands: other tests may keep the threads of all tasks busy for longer than a
  /// refresh may take.
  private let still = TestScheduler()

  private struct Renew: Endpoint {
    typealias Response = TokenResponse
    let path: ResourcePath = "auth/refresh"
    let method = HTTPMethod.post
  }

  private func stubs(_ token: String = #"{"accessToken": "fresh"}"#) -> StubTransport {
    StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.origin + "/a"), statusCode: 401),
      StubAPIResponse(
        request: .init(.post, urlString: Self.origin + "/auth/refresh"), result: .json(token)),
      StubAPIResponse(request: .init(.get, urlString: Self.origin + "/a")),
      StubAPIResponse(request: .init(.get, urlString: Self.origin + "/b")))
  }

  private func authorizations(_ stubs: StubTransport) -> [String?] {
    stubs.requests.map { $0.value(forHTTPHeaderField: "Authorization") }
  }

  /// The grants that a newcomer writes, with the session that each works for.
  enum Spelling: CaseIterable, Sendable {
    case asyncMap, future, single

    func grant(_ api: @escaping @Sendable () -> TestAPI?) -> ClosureGrant {
      let ask: @Sendable () async throws -> TokenResponse = {
        guard let api = api() else { throw TestFailure() }
        return try await api.send(Renew())
      }
      return ClosureGrant { _ -> AnyPublisher<TokenResponse, any Error> in
        switch self {
        case .asyncMap:
          return Just(()).setFailureType(to: (any Error).self)
            .tryAsyncMap { _ in try await ask() }
            .eraseToAnyPublisher()
        case .future:
          return Deferred {
            Future<TokenResponse, any Error> { promise in
              Task {
                do { promise(.success(try await ask())) } catch { promise(.failure(error)) }
              }
            }
          }
          .eraseToAnyPublisher()
        case .single:
          return Single<TokenResponse, any Error> { resolve in
            let task = Task {
              do { resolve(.success(try await ask())) } catch { resolve(.failure(error)) }
            }
            return AnyCancellable { task.cancel() }
          }
          .eraseToAnyPublisher()
        }
      }
    }
  }

  @Test(
    "Its request has no token and does not wait; the call goes on with the new one",
    arguments: Spelling.allCases)
  func refresh(spelling: Spelling) async throws {
    let stubs = stubs()
    let box = SessionBox()
    let session = TokenSession(
      grant: spelling.grant {
        box.held.map { TestAPI(baseURL: Self.origin, transport: stubs, session: $0) }
      }, scheduler: still)
    box.set(session)
    defer { box.set(nil) }
    try session.signIn(Credential(accessToken: "old", refreshToken: "r"))
    let api = TestAPI(baseURL: Self.origin, transport: stubs, session: session)
    #expect(try await api.get(endpoint: "a").value.statusCode == 200)
    #expect(authorizations(stubs) == ["Bearer old", nil, "Bearer fresh"])
  }

  @Test("A task that a call begins as the refresh lets it continue is no part of the refresh")
  func afterwards() async throws {
    let stubs = stubs()
    let box = SessionBox()
    let session = TokenSession(
      grant: ClosureGrant { _ in
        TestAPI(baseURL: Self.origin, transport: stubs, session: box.held)
          .publisher(for: Renew())
      }, scheduler: still)
    box.set(session)
    defer { box.set(nil) }
    try session.signIn(Credential(accessToken: "old", refreshToken: "r"))
    let api = TestAPI(baseURL: Self.origin, transport: stubs, session: session)
    // All of it runs on this thread, also what follows the refresh.
    let second = try await api.get(endpoint: "a")
      .tryAsyncMap { _ in try await api.get(endpoint: "b").value }
      .value
    #expect(second.statusCode == 200)
    #expect(authorizations(stubs) == ["Bearer old", nil, "Bearer fresh", "Bearer fresh"])
  }

  @Test("A session's authorize in such a task fails at once")
  func authorize() async throws {
    let stubs = stubs()
    let box = SessionBox()
    let session = TokenSession(
      grant: ClosureGrant { _ in
        Just(()).setFailureType(to: (any Error).self).tryAsyncMap { _ -> TokenResponse in
          guard let session = box.held else { throw TestFailure() }
          return try await session.authorize(
            TestAPI(baseURL: Self.origin, transport: stubs).publisher(for: Renew())
          ).value
        }
      }, scheduler: still)
    box.set(session)
    defer { box.set(nil) }
    try session.signIn(Credential(accessToken: "old", refreshToken: "r"))
    let api = TestAPI(baseURL: Self.origin, transport: stubs, session: session)
    let error = await #expect(throws: TokenSessionError.self) {
      try await api.get(endpoint: "a").value
    }
    #expect("\(error, default: "")".contains("Send it without authorize(_:)"))
    #expect(stubs.requests.count == 1)
  }

  @Test("A refresh that ran out of time says how it may have waited for itself")
  func text() {
    let text = "\(TokenSessionError.refreshTimedOut(after: .seconds(30)))"
    #expect(text.contains("give it `authorization: .none`"))
  }
}
