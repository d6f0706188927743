import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@testable import IdentityKit

@Suite("A subscriber that is released while its profile is fetched", .timeLimit(.minutes(10)))
struct IdentityLifetimeTests {
  /// The state that a screen would hold.
  @MainActor
  private final class ProfileModel {
    var name: String?
    private var cancellables: Set<AnyCancellable> = []
    private let updates: Counter

    init(_ service: IdentityService, updates: Counter) {
      self.updates = updates
      service.fetchProfile.sink(on: .mainActor) { [weak self] result in
        self?.updates.add()
        self?.name = try? result.get().firstName
      }
      .store(in: &cancellables)
    }
  }

  /// Where in the exchange the subscriber goes.
  enum Moment: Int, CaseIterable, Sendable {
    case firstRequest = 1
    case refresh, retry
  }

  @MainActor
  @Test(
    "A released subscriber's request is cancelled, but not its refresh, and it is not retained",
    arguments: TransportKind.allCases, Moment.allCases)
  func released(kind: TransportKind, moment: Moment) async throws {
    let gate = MockGate()
    let server = try MockServer { request in
      guard request.index + 1 < moment.rawValue else {
        let body = request.method == "POST" ? Identity.refreshed : "{}"
        return MockResponse(status: 200, body: Data(body.utf8), gate: gate)
      }
      return request.method == "POST"
        ? .json(Identity.refreshed) : MockResponse(status: 401, body: Data())
    }
    defer { server.stop() }
    let tokens = MemoryTokenStore(Identity.credential)
    let transport = try kind.make()
    // Other tests may keep the main actor for longer than a refresh is given as a rule.
    let options = TokenSessionOptions(refreshTimeout: .seconds(3_600))
    let grant = JSONRefreshGrant(baseURL: server.baseURL, transport: transport)
    let service = IdentityService(
      baseURL: server.baseURL, transport: transport,
      session: TokenSession(grant: grant, store: tokens, options: options))
    let updates = Counter()
    weak var weakModel: ProfileModel?
    var model: ProfileModel? = ProfileModel(service, updates: updates)
    weakModel = model
    let connection = try await server.received(moment.rawValue)[moment.rawValue - 1].connectionID
    #expect(weakModel != nil)

    model = nil
    #expect(weakModel == nil)
    if moment == .refresh {
      // The session's own: it goes on, so that a refresh token that was used up is not lost.
      gate.open()
      let states = service.session.state.filter { $0 != .refreshing }
      #expect(try await states.first().value == .active)
    } else {
      #expect(try await server.connectionClosed(connection) == .client)
      gate.open()
    }
    #expect(server.requests.count == moment.rawValue)
    #expect(updates.value == 0)
    #expect(tokens.read()?.accessToken == (moment == .firstRequest ? "expired" : "fresh"))
  }

  @MainActor
  @Test("A subscriber that stays gets its value on the main actor")
  func stays() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: Identity.me, result: .json(Identity.profile)))
    let service = IdentityService(
      baseURL: Identity.baseURL, transport: stubs,
      tokens: MemoryTokenStore(Identity.credential))
    let name = await withCheckedContinuation { continuation in
      let box = KeptSubscriptions()
      service.fetchProfile.sink(on: .mainActor) { result in
        box.cancellables.removeAll()
        continuation.resume(returning: try? result.get().firstName)
      }
      .store(in: &box.cancellables)
    }
    #expect(name == "Ada")
  }

  @MainActor
  private final class KeptSubscriptions {
    var cancellables: Set<AnyCancellable> = []
  }

  @Test("A service that is released still finishes its calls", arguments: TransportKind.allCases)
  func serviceIsDropped(kind: TransportKind) async throws {
    let server = try MockServer { request in
      switch (request.method, request.value(for: "Authorization")) {
      case ("POST", _): .json(Identity.refreshed)
      case (_, "Bearer fresh"): .json(Identity.profile)
      default: MockResponse(status: 401)
      }
    }
    defer { server.stop() }
    let (results, continuation) = AsyncStream<String?>.makeStream()
    let subscription = IdentityService(
      baseURL: server.baseURL, transport: try kind.make(),
      tokens: MemoryTokenStore(Identity.credential), deliveringOn: .immediate
    ).fetchProfile.sink { result in continuation.yield(try? result.get().firstName) }
    #expect(await results.first { _ in true } == "Ada")
    withExtendedLifetime(subscription) {}
  }
}
