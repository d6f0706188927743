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

@Suite("A sign-in and a revocation by closures", .leakFree)
struct ClosureSignInTests {
  private struct ShopFailure: APIFailure, Equatable {
    let isOfCall: Bool

    init(_ error: any Error) { isOfCall = error is RESTError }
  }

  private struct ShopAPI: TypedFailureAPI {
    typealias Failure = ShopFailure
    let baseURL = "https://api.example.com"
    let transport: any Transport
    var session: TokenSession?
  }

  private struct Login: Endpoint {
    typealias Response = TokenResponse
    let method = HTTPMethod.post
    let path: ResourcePath = "login"
  }

  private struct Logout: Endpoint {
    typealias Response = Void
    let method = HTTPMethod.post
    let path: ResourcePath = "logout"
  }

  private struct RawLogout: Endpoint {
    typealias Response = RESTResponse
    let method = HTTPMethod.post
    let path: ResourcePath = "logout"
  }

  private let store = MemoryTokenStore()
  private let credential = Credential(accessToken: "t0", refreshToken: "r0")

  private func stubs(
    _ path: String, _ status: Int = 200, headers: HTTPHeaders = [:], body: String = ""
  ) -> StubTransport {
    StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: "https://api.example.com/\(path)"), statusCode: status,
        headers: headers, result: .success(Data(body.utf8))
      ).always())
  }

  private func session(_ credential: Credential? = nil) -> TokenSession {
    store.write(credential)
    return SessionWorld(store: store).session
  }

  @Test("A sign-in's lifetime counts from the date that the closure gets, anew each time")
  func dates() {
    let world = SessionWorld(store: store)
    let dates = ValueLog<Date>()
    let signIn = world.session.signIn(
      with: ClosureSignIn { date in
        dates.add(date)
        return Just(
          Credential(
            TokenResponse(accessToken: "t1", lifetime: .seconds(60)), issuedAt: date,
            account: "ada")
        )
        .setFailureType(to: (any Error).self)
      })
    #expect(dates.all.isEmpty)
    let first = world.clock.now
    signIn.subscribe(TestSubscriber())
    world.scheduler.advance(by: .seconds(5))
    signIn.subscribe(TestSubscriber())
    #expect(dates.all == [first, first.addingTimeInterval(5)])
    #expect(store.read()?.expiresAt == first.addingTimeInterval(65))
    #expect(world.session.account == "ada")
  }

  @Test("A sign-in's requests carry no token of their session, and are not redirected")
  func requests() async throws {
    let stubs = stubs("login", body: #"{"access_token": "t1"}"#)
    let session = session(credential)
    let api = ShopAPI(transport: stubs, session: session)
    let grant = ClosureSignIn { date in
      api.post(endpoint: "login").decode(type: TokenResponse.self)
        .map { Credential($0, issuedAt: date) }
    }
    try await session.signIn(with: grant).value
    #expect(store.read()?.accessToken == "t1")
    #expect(stubs.requests.first?.value(forHTTPHeaderField: "Authorization") == nil)
    let moved = ShopAPI(
      transport: self.stubs("login", 307, headers: ["Location": "/elsewhere"]))
    let error = try await restError(
      of: session.signIn(
        with: ClosureSignIn { date in
          moved.post(endpoint: "login").decode(type: TokenResponse.self)
            .map { Credential($0, issuedAt: date) }
        }))
    #expect(error.kind == .redirect)
  }

  @Test("A failure of the app's own needs no other spelling, and stays what it is")
  func typed() async throws {
    let api = ShopAPI(transport: stubs("login", 403))
    @Sendable func login() -> AnyPublisher<TokenResponse, ShopFailure> {
      api.publisher(for: Login())
    }
    let session = session()
    let grant = ClosureSignIn { date in login().map { Credential($0, issuedAt: date) } }
    let failure = await #expect(throws: ShopFailure.self) {
      try await session.signIn(with: grant).value
    }
    #expect(failure?.isOfCall == true)
    // An endpoint of the API itself fails as that of any other API: the error is made once.
    let plain = ClosureSignIn { date in
      api.publisher(for: Login()).map { Credential($0, issuedAt: date) }
    }
    let error = try await restError(of: session.signIn(with: plain))
    #expect(error.kind == .status(403))
  }

  @Test("A status that is no success is a failure of a revocation, in each form of it")
  func revocations() async throws {
    for (status, isRefused) in [(204, false), (500, true)] {
      let api = ShopAPI(transport: stubs("logout", status))
      @Sendable func logout() -> AnyPublisher<Void, ShopFailure> { api.publisher(for: Logout()) }
      let forms = [
        ClosureRevocation { _ in api.post(endpoint: "logout") },
        ClosureRevocation { _ in api.publisher(for: Logout()) },
        ClosureRevocation(requiresAccessToken: false) { _ in logout() },
        ClosureRevocation { _ in api.publisher(for: RawLogout()) },
        ClosureRevocation { _ in api.post(endpoint: "logout").mapError { ShopFailure($0) } },
        ClosureRevocation { _ in api.post(endpoint: "logout").validateStatus().map(\.statusCode) },
      ]
      #expect(forms.map(\.requiresAccessToken) == [true, true, false, true, true, true])
      for (number, form) in forms.enumerated() {
        let outcome = TestSubscriber<Void, any Error>()
        session(credential).signOut(revokingWith: form).subscribe(outcome)
        #expect(outcome.isFinished == !isRefused)
        guard isRefused else { continue }
        if number == 2 {
          #expect((outcome.failure as? ShopFailure)?.isOfCall == true)
        } else {
          #expect((outcome.failure as? RESTError)?.kind == .status(500))
        }
      }
    }
  }
}
