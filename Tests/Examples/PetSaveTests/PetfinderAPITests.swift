import Foundation
import PetSave
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("PetSave fetches a token once, and fetches animals with it")
struct PetfinderAPITests {
  /// A time that tests move.
  private final class Clock: Sendable {
    private let offset = Lock(0.0)
    let scheduler = TestScheduler()

    var date: Date { Date(timeIntervalSince1970: 1_700_000_000 + offset.withLock { $0 }) }

    func advance(hours: Double) {
      offset.withLock { $0 += hours * 3_600 }
      scheduler.advance(by: .seconds(hours * 3_600))
    }
  }

  private static let animal = """
    {"id": 7, "name": "Rex", "type": "Dog", "age": "Adult", "description": null,
     "published_at": "2026-03-01T12:00:00+0000"}
    """

  private let clock = Clock()
  private let store = MemoryTokenStore()

  private func page(_ number: Int, of total: Int = 2) -> String {
    """
    {"animals": [\(Self.animal)], "pagination": {"count_per_page": 1, "total_count": \(total),
     "current_page": \(number), "total_pages": \(total)}}
    """
  }

  private func api(
    _ transport: any Transport, at base: String = base, tokens: (any TokenStore)? = nil
  ) -> PetfinderAPI {
    PetfinderAPI(
      id: "id", secret: "s3cret", tokens: tokens ?? store, baseURL: base, transport: transport,
      scheduler: clock.scheduler, date: { [clock] in clock.date })
  }

  private static let base = "https://api.petfinder.com/v2"

  private func token(_ name: String) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.post, urlString: Self.base + "/oauth2/token"),
      result: .json(#"{"token_type": "Bearer", "expires_in": 3600, "access_token": "\#(name)"}"#))
  }

  private func animals(_ query: String, _ page: Int = 1) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: Self.base + "/animals?" + query),
      result: .json(self.page(page)))
  }

  private func tokens(_ stubs: StubTransport) -> [String?] {
    stubs.requests.filter { $0.httpMethod != "POST" }
      .map { $0.value(forHTTPHeaderField: "Authorization") }
  }

  private func bought(_ stubs: StubTransport) -> Int {
    stubs.requests.count { $0.httpMethod == "POST" }
  }

  @Test("A page of animals is decoded from snake case")
  func decoding() async throws {
    let stubs = StubTransport(token("one"), animals("page=1&sort=random"))
    let page = try await api(stubs).send(AnimalsRequest.near(page: 1))
    #expect(page.animals.map(\.name) == ["Rex"])
    #expect(page.pagination.countPerPage == 1)
    let form = try #require(stubs.requests.first?.httpBody)
    #expect(
      String(decoding: form, as: UTF8.self)
        == "grant_type=client_credentials&client_id=id&client_secret=s3cret")
  }

  @Test("Optional parameters are sent if they are set")
  func parameters() async throws {
    let stubs = StubTransport(
      token("one"), animals("page=3&sort=random&location=52.5%2C13.4"),
      animals("name=R%20x&type=Dog&page=1"))
    let api = api(stubs)
    _ = try await api.send(AnimalsRequest.near(page: 3, latitude: 52.5, longitude: 13.4))
    _ = try await api.send(AnimalsRequest.named("R x", type: "Dog"))
    try stubs.verify()
  }

  @Test("The token is fetched once and used until it expires")
  func cached() async throws {
    let stubs = StubTransport(
      token("one"), animals("page=1&sort=random"), animals("page=1&sort=random"))
    let api = api(stubs)
    _ = try await api.send(AnimalsRequest.near(page: 1))
    clock.advance(hours: 0.9)
    _ = try await api.send(AnimalsRequest.near(page: 1))
    #expect(tokens(stubs) == ["Bearer one", "Bearer one"])
    #expect(bought(stubs) == 1)
  }

  @Test("An expired token is replaced before the request is sent")
  func expired() async throws {
    let stubs = StubTransport(
      token("one"), animals("page=1&sort=random"), token("two"), animals("page=1&sort=random"))
    let api = api(stubs)
    _ = try await api.send(AnimalsRequest.near(page: 1))
    clock.advance(hours: 1.1)
    _ = try await api.send(AnimalsRequest.near(page: 1))
    #expect(tokens(stubs) == ["Bearer one", "Bearer two"])
  }

  @Test("The next launch uses the stored token")
  func nextLaunch() async throws {
    let first = StubTransport(token("one"), animals("page=1&sort=random"))
    _ = try await api(first).send(AnimalsRequest.near(page: 1))
    let second = StubTransport(animals("page=1&sort=random"))
    _ = try await api(second).send(AnimalsRequest.near(page: 1))
    #expect(tokens(second) == ["Bearer one"])
  }

  @Test("A later launch finds the token in its file and replaces it after its expiry")
  func laterLaunches() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    /// Returns the requests of a launch that knows only the file of the earlier launches.
    func launch(_ stubs: StubTransport) async throws -> [String?] {
      let file = FileTokenStore(file: folder.appending(path: "token"))
      _ = try await api(stubs, tokens: file).send(AnimalsRequest.near(page: 1))
      try stubs.verify()
      return tokens(stubs)
    }
    let page = animals("page=1&sort=random")
    #expect(try await launch(StubTransport(token("one"), page)) == ["Bearer one"])
    clock.advance(hours: 0.9)
    #expect(try await launch(StubTransport(page)) == ["Bearer one"])
    clock.advance(hours: 0.2)
    #expect(try await launch(StubTransport(token("two"), page)) == ["Bearer two"])
  }

  @Test("A token that the server refuses is replaced, and the request is sent once more")
  func refreshed() async throws {
    let stubs = StubTransport(
      token("one"),
      StubAPIResponse(
        request: .init(.get, urlString: Self.base + "/animals?page=1&sort=random"), statusCode: 401),
      token("two"), animals("page=1&sort=random"))
    _ = try await api(stubs).send(AnimalsRequest.near(page: 1))
    #expect(tokens(stubs) == ["Bearer one", "Bearer two"])
  }

  @Test("All pages arrive, each on demand")
  func pages() async throws {
    let stubs = StubTransport(
      token("one"), animals("page=1&sort=random", 1), animals("page=2&sort=random", 2))
    let animals = try await api(stubs).animals(.near(page: 1)).allValues
    #expect(animals.flatMap { $0 }.map(\.id) == [7, 7])
    #expect(bought(stubs) == 1)
  }

  @Test("Over a socket, many concurrent calls share one token")
  func socket() async throws {
    let bought = Lock(0)
    let server = try MockServer { request in
      guard request.path != "/oauth2/token" else {
        bought.withLock { $0 += 1 }
        return .json(#"{"token_type": "Bearer", "expires_in": 3600, "access_token": "one"}"#)
      }
      return request.value(for: "Authorization") == "Bearer one"
        ? .json(page(1)) : MockResponse(status: 401)
    }
    defer { server.stop() }
    let api = api(SharedTransport(), at: server.baseURL)
    let names = try await withThrowingTaskGroup(of: String?.self) { group in
      for _ in 1...20 {
        group.addTask { try await api.send(AnimalsRequest.near(page: 1)).animals.first?.name }
      }
      return try await group.reduce(into: [String?]()) { $0.append($1) }
    }
    #expect(names == Array(repeating: "Rex", count: 20))
    #expect(bought.withLock { $0 } == 1)
  }
}
