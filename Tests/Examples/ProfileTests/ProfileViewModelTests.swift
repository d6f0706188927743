import Foundation
import IdentityKit
import Profile
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@MainActor @Suite("A screen's model greets the signed-in user")
struct ProfileViewModelTests {
  private let ada = User.Profile(firstName: "Ada", lastName: "Lovelace")

  /// A service whose response comes when a test says so.
  private final class SlowService: ProfileService {
    let answers = PassthroughSubject<Result<User.Profile, FetchProfileError>, Never>()
    let cancels = Lock(0)

    var fetchProfile: AnyPublisher<Result<User.Profile, FetchProfileError>, Never> {
      answers.handleEvents(receiveCancel: { [self] in cancels.withLock { $0 += 1 } })
        .eraseToAnyPublisher()
    }
  }

  @Test("The label shows a mock's profile")
  func profile() async {
    let model = ProfileViewModel(service: MockProfileService(.success(ada)))
    #expect(model.label == "…")
    model.load()
    await settled()
    #expect(model.label == "Hello, Ada")
  }

  @Test("The label shows a mock's error in words")
  func failure() async {
    let model = ProfileViewModel(service: MockProfileService(.failure(.session(.signedOut))))
    model.load()
    await settled()
    #expect(model.label == "\(FetchProfileError.session(.signedOut))")
  }

  @Test("A screen's model that is released ends its call")
  func released() async {
    let service = SlowService()
    var model: ProfileViewModel? = ProfileViewModel(service: service)
    weak let released = model
    model?.load()
    #expect(service.cancels.withLock { $0 } == 0)
    model = nil
    #expect(released == nil)
    #expect(service.cancels.withLock { $0 } == 1)
    service.answers.send(.success(ada))
    await settled()
  }

  @Test("The identity service refreshes an expired token on the way")
  func identity() async throws {
    let me = StubRequest(.get, urlString: "https://id.example.com/me")
    let stubs = StubTransport(
      StubAPIResponse(request: me, statusCode: 401)
        .thenRespondWith(
          request: .init(.post, urlString: "https://id.example.com/auth/refresh"),
          result: .json(#"{"result": {"accessToken": "fresh"}}"#)
        )
        .thenRespondWith(
          request: me, result: .json(#"{"self": {"firstName": "Ada", "lastName": "Lovelace"}}"#)))
    let identity = IdentityService(baseURL: "https://id.example.com", transport: stubs)
    try identity.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))
    #expect(try await identity.fetchProfile.value.get().firstName == "Ada")
    try stubs.verify()
  }

  @Test(
    "Over a socket, the token is refreshed, and a call ends with its model",
    .timeLimit(.minutes(10)))
  func socket() async throws {
    let gate = MockGate()
    let server = try MockServer { request in
      let profile = #"{"self": {"firstName": "Ada", "lastName": "Lovelace"}}"#
      return switch (request.path, request.value(for: "Authorization")) {
      case ("/auth/refresh", _): .json(#"{"result": {"accessToken": "fresh"}}"#)
      case ("/me", "Bearer fresh"): .json(profile)
      case ("/me", "Bearer slow"): .json(profile, gate: gate)
      default: MockResponse(status: 401)
      }
    }
    defer { server.stop() }
    let identity = IdentityService(baseURL: server.baseURL)
    try identity.signIn(Credential(accessToken: "expired", refreshToken: "refresh-1"))
    let service: any ProfileService = identity
    #expect(try await service.fetchProfile.value.get() == ada)
    #expect(server.requests.map(\.path) == ["/me", "/auth/refresh", "/me"])

    try identity.signIn(Credential(accessToken: "slow"))
    var model: ProfileViewModel? = ProfileViewModel(service: identity)
    model?.load()
    let asked = try #require(try await server.received(4).last)
    model = nil
    #expect(try await server.connectionClosed(asked.connectionID) == .client)
  }

  @Test("The wrapper injects the value that the test gives, and no other")
  func injected() async {
    let model = Dependencies.$current.withValue(
      Dependencies(profileService: MockProfileService(.success(ada)))
    ) { InjectedProfileViewModel() }
    let other = Dependencies.$current.withValue(
      Dependencies(profileService: MockProfileService(.failure(.session(.signedOut))))
    ) { InjectedProfileViewModel() }
    model.load()
    other.load()
    await settled()
    #expect(model.label == "Hello, Ada")
    #expect(other.label == "Sign in first")
  }

  /// Returns when the main actor has run the work queued before.
  private func settled() async {
    await Task { @MainActor in }.value
  }
}
