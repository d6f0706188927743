import RESTKit
import RESTKitTesting
import Streams
import Testing

/// A user with a session, whose first token's end only the API knows.
struct SignedInUser {
  let server: OAuthServer
  let registration: OAuthRegistration
  let first: TokenResponse
  let grant: RefreshTokenGrant
  let store = MemoryTokenStore()
  let session: TokenSession
  private let endings = Endings()

  init(_ kind: TransportKind, lifetime: Int, refreshedLifetime: Int? = nil) async throws {
    server = try OAuthServer(kind)
    registration = try await server.register(
      lifetime: lifetime, refreshedLifetime: refreshedLifetime)
    first = try await server.signIn(registration)
    grant = RefreshTokenGrant(server.client(registration))
    session = TokenSession(grant: grant, store: store)
    endings.watch(session)
    try session.signIn(Credential(first))
  }

  /// A user whose refreshes lose responses, and whose first token no API accepts.
  ///
  /// - Parameter scheduler: The scheduler of the session.
  init(over line: LossyLine, timedBy scheduler: any Scheduler) async throws {
    server = line.server
    registration = try await server.register(lifetime: 60)
    first = try await server.signIn(registration)
    grant = RefreshTokenGrant(
      OAuthClient(
        tokenEndpoint: line.tokenEndpoint, id: registration.id,
        authentication: .basic(secret: registration.secret), transport: server.transport))
    session = TokenSession(grant: grant, store: store, scheduler: scheduler)
    endings.watch(session)
    var credential = Credential(first)
    credential.accessToken = "refused"
    try session.signIn(credential)
  }

  var owner: OAuthServer.Owner { .init(user: registration.username) }

  /// Why the session ended, each time.
  var signOuts: [String] { endings.all }

  var stored: Credential {
    get throws { try #require(store.read()) }
  }

  var tokenRequests: [String] {
    get async throws { try await server.log(of: registration).map(\.description) }
  }

  var call: AnyPublisher<OAuthServer.Owner, any Error> {
    session.authorize(server.me).decode(type: OAuthServer.Owner.self).eraseToAnyPublisher()
  }

  /// How calls end that run side by side.
  func outcomes(ofCalls count: Int) async -> [Result<OAuthServer.Owner, any Error>] {
    await withTaskGroup { group in
      for _ in 0..<count {
        group.addTask { () -> Result<OAuthServer.Owner, any Error> in
          do {
            return .success(try await call.value)
          } catch {
            return .failure(error)
          }
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }
}

/// Why a session ended, each time.
private final class Endings: Sendable {
  private struct State: Sendable {
    var all: [String] = []
    var watching: AnyCancellable?
  }

  private let state = Lock(State())

  var all: [String] { state.withLock { $0.all } }

  func watch(_ session: TokenSession) {
    let watching = session.signOuts.sink { [weak self] cause in
      let name =
        switch cause {
        case .requested: "requested"
        case .refused: "refused"
        case .elsewhere: "elsewhere"
        }
      self?.state.withLock { $0.all.append(name) }
    }
    state.withLock { $0.watching = watching }
  }
}
