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

@Suite("What a verb for a whole URL is given", .leakFree)
struct WholeURLParameterTests {
  private static let own = "https://api.example.com/files/7"

  private func signedOut(_ stubs: StubTransport) -> TokenSession {
    TokenSession(grant: JSONRefreshGrant(baseURL: "https://id.example.com", transport: stubs))
  }

  private func url(_ text: String = own) throws -> URL { try #require(URL(string: text)) }

  @Test("Each verb sends the call's fields, leaves the token out on request, and runs the modifier")
  func parameters() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.own)),
      StubAPIResponse(request: .init(.put, urlString: Self.own)),
      StubAPIResponse(request: .init(.put, urlString: Self.own)),
      StubAPIResponse(request: .init(.get, urlString: Self.own)),
      StubAPIResponse(request: .init(.delete, urlString: Self.own)),
      StubAPIResponse(request: .init(.post, urlString: Self.own).body(Data("a".utf8))))
    // A request with its token would fail.
    let api = TestAPI(transport: stubs, session: signedOut(stubs))
    let body = RequestBody.data(Data("a".utf8), contentType: nil)
    let modifier: RequestModifier = { $0.adding("X-Modified", "yes") }
    let fields: HTTPHeaders = ["X-Field": "f"]
    let folder = try TemporaryFolder()
    _ = try await api.get(
      url: url(), headers: fields, authorization: .none, requestModifier: modifier
    ).value
    _ = try await api.put(
      url: url(), headers: fields, body: body, authorization: .none, requestModifier: modifier
    ).value
    _ = try await api.upload(
      url: url(), headers: fields, body: body, authorization: .none, requestModifier: modifier
    ).allValues
    _ = try await api.download(
      url: url(), headers: fields, to: folder.url.appending(path: "file"), authorization: .none,
      requestModifier: modifier
    ).allValues
    _ = try await api.request(
      .delete, url: url(), headers: fields, authorization: .none, requestModifier: modifier
    ).value
    _ = try await api.events(
      .post, url: url(), headers: fields, body: body, authorization: .none,
      requestModifier: modifier
    ).allValues
    #expect(stubs.requests.count == 6)
    for request in stubs.requests {
      #expect(request.value(forHTTPHeaderField: "X-Field") == "f")
      #expect(request.value(forHTTPHeaderField: "X-Modified") == "yes")
    }
  }

  @Test("Another origin asks no session: a user who is signed out sees its images")
  func signedOut() async throws {
    let other = "https://cdn.example.net/a"
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: other)),
      StubAPIResponse(
        request: .init(.get, urlString: other), statusCode: 302, headers: ["Location": Self.own]),
      StubAPIResponse(request: .init(.get, urlString: Self.own), statusCode: 401))
    let api = TestAPI(
      transport: stubs, headers: ["X-Api-Key": "k"], session: signedOut(stubs))
    #expect(try await api.get(url: url(other)).value.statusCode == 200)
    // A redirect to the API's own origin brings nothing back.
    #expect(try await api.get(url: url(other)).value.statusCode == 401)
    #expect(stubs.requests.allSatisfy { $0.value(forHTTPHeaderField: "X-Api-Key") == nil })
    let error = await #expect(throws: TokenSessionError.self) {
      try await api.get(url: url()).value
    }
    guard case .signedOut = error else { throw TestFailure(name: "\(error, default: "nil")") }
  }

  @Test(
    "An origin is the API's own in any spelling of it",
    arguments: ["HTTPS://API.Example.COM/x", "https://api.example.com:443/x"])
  func spelling(text: String) async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, path: "/x")))
    let api = TestAPI(transport: stubs, headers: ["X-Api-Key": "k"])
    _ = try await api.get(url: url(text)).value
    #expect(stubs.requests.map { $0.value(forHTTPHeaderField: "X-Api-Key") } == ["k"])
  }

  @Test("Over a socket, the target is the URL's, byte by byte, without its fragment")
  func wire() async throws {
    let server = try MockServer { .text($0.target) }
    defer { server.stop() }
    let api = TestAPI(baseURL: server.baseURL, transport: SharedTransport())
    for target in [
      "/a%2Fb/%2e%2E/c;v=1?x=%20+&y=a%2Bb&z", "/?", "/a//b/?q=/?:@!$'()*,", "/%C3%a9?%5B%5d=1",
    ] {
      let response = try await api.get(url: url(server.baseURL + target + "#part")).value
      #expect(String(decoding: response.data, as: UTF8.self) == target)
    }
    let bare = try await api.get(url: url(server.baseURL + "?q")).value
    #expect(bare.data == Data("/?q".utf8))
  }
}
