import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Revalidation of stored responses")
struct RevalidatedTests {
  private let cache = HTTPCache()
  private static let url = "https://api.example.com/v1/pets"

  /// One server that gives these responses in turn.
  private func server(_ answers: (status: Int, headers: HTTPHeaders, body: String)...)
    -> StubTransport
  {
    StubTransport(
      answers.dropFirst().reduce(Self.response(answers[0])) { script, answer in
        script.thenRespondWith(
          request: .init(.get, urlString: Self.url), statusCode: answer.status,
          headers: answer.headers, result: .success(Data(answer.body.utf8)))
      })
  }

  private static func response(
    _ answer: (status: Int, headers: HTTPHeaders, body: String)
  ) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.get, urlString: url), statusCode: answer.status, headers: answer.headers,
      result: .success(Data(answer.body.utf8)))
  }

  private func get(
    _ transport: StubTransport, _ modifier: @escaping RequestModifier = { $0 }
  ) async throws -> RESTResponse {
    try await TestAPI(transport: transport).get(endpoint: "pets", requestModifier: modifier)
      .cached(in: cache, use: .revalidated).value
  }

  private func sent(_ name: String, _ transport: StubTransport) -> [String?] {
    transport.requests.map { $0.value(forHTTPHeaderField: name) }
  }

  @Test("The second request sends the entity tag, and a 304 delivers the first body again")
  func entityTag() async throws {
    let transport = server(
      (200, ["ETag": #""v1""#, "X-Age": "old"], "pets"), (304, ["X-Age": "new"], ""))
    #expect(try await get(transport).data == Data("pets".utf8))
    let second = try await get(transport)
    #expect(second.statusCode == 200)
    #expect(second.data == Data("pets".utf8))
    #expect(second.headers["ETag"] == #""v1""#)
    #expect(second.headers["X-Age"] == "new")
    #expect(sent("If-None-Match", transport) == [nil, #""v1""#])
  }

  @Test("Without an entity tag the date is sent")
  func date() async throws {
    let date = "Sun, 06 Nov 1994 08:49:37 GMT"
    let transport = server((200, ["Last-Modified": date], "pets"), (304, [:], ""))
    _ = try await get(transport)
    #expect(try await get(transport).data == Data("pets".utf8))
    #expect(sent("If-Modified-Since", transport) == [nil, date])
    #expect(sent("If-None-Match", transport) == [nil, nil])
  }

  @Test("Updated fields of a 304 are stored with the copy")
  func confirmedAnew() async throws {
    let transport = server(
      (200, ["ETag": "1"], "pets"), (304, ["ETag": "1", "X-Age": "new"], ""), (304, [:], ""))
    for age in [nil, "new", "new"] {
      let response = try await get(transport)
      #expect(response.data == Data("pets".utf8))
      #expect(response.headers["X-Age"] == age)
    }
    #expect(sent("If-None-Match", transport) == [nil, "1", "1"])
  }

  @Test("A new 200 replaces the stored response")
  func changed() async throws {
    let transport = server(
      (200, ["ETag": "1"], "one"), (200, ["ETag": "2"], "two"), (304, [:], ""))
    _ = try await get(transport)
    #expect(try await get(transport).data == Data("two".utf8))
    #expect(try await get(transport).data == Data("two".utf8))
    #expect(sent("If-None-Match", transport) == [nil, "1", "2"])
  }

  @Test("A 200 that cannot be stored removes the old response")
  func noLongerKept() async throws {
    let transport = server((200, ["ETag": "1"], "one"), (200, [:], "two"), (200, [:], "three"))
    _ = try await get(transport)
    _ = try await get(transport)
    _ = try await get(transport)
    #expect(sent("If-None-Match", transport) == [nil, "1", nil])
  }

  @Test(
    "A response that forbids it is not stored",
    arguments: [
      ["ETag": "1", "Cache-Control": "max-age=9, No-Store"], ["ETag": "1", "Vary": "*"], [:],
    ] as [HTTPHeaders])
  func notKept(headers: HTTPHeaders) async throws {
    let transport = server((200, headers, "one"), (200, [:], "two"))
    _ = try await get(transport)
    _ = try await get(transport)
    #expect(sent("If-None-Match", transport) == [nil, nil])
  }

  @Test("An error is not stored, and does not remove the stored response")
  func errors() async throws {
    let transport = server((200, ["ETag": "1"], "one"), (500, ["ETag": "2"], "no"), (304, [:], ""))
    _ = try await get(transport)
    #expect(try await get(transport).statusCode == 500)
    #expect(try await get(transport).data == Data("one".utf8))
  }

  @Test("TR-34: no user gets another user's response")
  func identity() async throws {
    let transport = server(
      (200, ["ETag": "1"], "Ada's"), (200, ["ETag": "2"], "Bob's"), (304, [:], ""))
    _ = try await get(transport) { $0.addingBearerAuthorization(token: "ada") }
    _ = try await get(transport) { $0.addingBearerAuthorization(token: "bob") }
    let third = try await get(transport) { $0.addingBearerAuthorization(token: "ada") }
    #expect(third.data == Data("Ada's".utf8))
    #expect(sent("If-None-Match", transport) == [nil, nil, "1"])
  }

  @Test("TR-34: a copy outlives a refresh, and the next user does not get it")
  func sessionIdentity() async throws {
    let pets = StubRequest(.get, urlString: Self.url)
    let transport = StubTransport(
      StubAPIResponse(
        request: pets, headers: ["ETag": "1", "Vary": "Authorization"],
        result: .success(Data("Ada's".utf8))
      )
      .thenRespondWith(request: pets, statusCode: 401)
      .thenRespondWith(
        request: .init(.post, urlString: "https://api.example.com/v1/auth/refresh"),
        result: .json(#"{"accessToken": "new"}"#)
      )
      .thenRespondWith(request: pets, statusCode: 304)
      .thenRespondWith(request: pets, result: .success(Data("Bob's".utf8))))
    let api = TestAPI(transport: transport)
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: api.baseURL, transport: transport))
    let mine = session.authorize(api.get(endpoint: "pets")).cached(in: cache, use: .revalidated)

    try session.signIn(Credential(accessToken: "old", refreshToken: "once"))
    #expect(try await mine.value.data == Data("Ada's".utf8))
    #expect(try await mine.value.data == Data("Ada's".utf8))
    try session.signIn(Credential(accessToken: "bob"))
    #expect(try await mine.value.data == Data("Bob's".utf8))

    #expect(sent("If-None-Match", transport) == [nil, "1", nil, "1", nil])
  }

  @Test("A response to the caller's own authorization is stored for it, and not for the session")
  func ownAuthorization() async throws {
    let transport = server((200, ["ETag": "1"], "by hand"), (200, ["ETag": "2"], "Ada's"))
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://api.example.com/v1", transport: transport))
    try session.signIn(Credential(accessToken: "ada"))
    let api = TestAPI(transport: transport)
    let byHand = api.get(endpoint: "pets") { $0.addingBearerAuthorization(token: "own") }
    _ = try await session.authorize(byHand).cached(in: cache, use: .revalidated).value
    let mine = session.authorize(api.get(endpoint: "pets")).cached(in: cache, use: .revalidated)
    #expect(try await mine.value.data == Data("Ada's".utf8))
    #expect(sent("If-None-Match", transport) == [nil, nil])
    #expect(sent("Authorization", transport) == ["Bearer own", "Bearer ada"])
  }

  @Test("A field that Vary names twice varies the response once")
  func namedTwice() async throws {
    let transport = server(
      (200, ["ETag": "1", "Vary": "Accept, accept"], "first"), (304, [:], ""))
    for _ in 1...2 {
      #expect(try await get(transport) { $0.adding("Accept", "a") }.data == Data("first".utf8))
    }
    #expect(sent("If-None-Match", transport) == [nil, "1"])
  }

  @Test("A response with Vary is stored for the values of its request header fields")
  func varying() async throws {
    let transport = server(
      (200, ["ETag": "1", "Vary": "Accept-Language"], "one"), (200, ["ETag": "2"], "two"))
    _ = try await get(transport) { $0.adding("Accept-Language", "en") }
    _ = try await get(transport) { $0.adding("Accept-Language", "de") }
    #expect(sent("If-None-Match", transport) == [nil, nil])
  }

  @Test("A request with its own condition is sent unchanged, and its 304 passes")
  func ownCondition() async throws {
    let transport = server((200, ["ETag": "1"], "one"), (304, [:], ""))
    _ = try await get(transport)
    let second = try await get(transport) { $0.adding("If-None-Match", "mine") }
    #expect(second.statusCode == 304)
    #expect(sent("If-None-Match", transport) == [nil, "mine"])
  }

  @Test("A 304 without a validation passes")
  func uninvited() async throws {
    #expect(try await get(server((304, [:], ""))).statusCode == 304)
  }

  @Test("A POST does not use the cache")
  func post() async throws {
    let transport = StubTransport(.post, Self.url, headers: ["ETag": "1"])
    _ = try await TestAPI(transport: transport).post(endpoint: "pets", body: nil)
      .cached(in: cache, use: .revalidated).value
    let after = server((200, [:], "one"))
    _ = try await get(after)
    #expect(sent("If-None-Match", after) == [nil])
  }
}
