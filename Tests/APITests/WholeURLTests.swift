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

@Suite("Requests to a whole URL", .leakFree)
struct WholeURLTests {
  private static let own = "https://api.example.com/avatars/7?size=2"
  private static let other = "https://cdn.example.net/a%2Fb?X-Amz-Signature=a%2Bb&x=%20"

  private func api(_ stubs: StubTransport) throws -> TestAPI {
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: "https://api.example.com", transport: stubs))
    try session.signIn(Credential(accessToken: "token", refreshToken: "once"))
    return TestAPI(
      transport: stubs, headers: ["X-Api-Key": "k", "X-Shop": "s", "X-Tenant": "acme"],
      secretHeaders: ["X-Shop"], session: session)
  }

  private func url(_ text: String) throws -> URL { try #require(URL(string: text)) }

  private func fields(_ stubs: StubTransport) -> [[String?]] {
    stubs.requests.map { request in
      ["Authorization", "X-Api-Key", "X-Shop", "X-Tenant"].map {
        request.value(forHTTPHeaderField: $0)
      }
    }
  }

  @Test("The API's own origin gets its token and all fields; another one gets no secret")
  func origins() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.own)),
      StubAPIResponse(request: .init(.get, urlString: Self.other)),
      StubAPIResponse(request: .init(.get, urlString: "http://api.example.com/x")),
      StubAPIResponse(request: .init(.get, urlString: "https://api.example.com:444/x")),
      StubAPIResponse(request: .init(.get, urlString: Self.own)))
    let api = try api(stubs)
    for text in [
      Self.own, Self.other, "http://api.example.com/x", "https://api.example.com:444/x",
    ] {
      _ = try await api.get(url: url(text)).value
    }
    _ = try await api.get(url: url(Self.own), authorization: .none).value
    let bare: [String?] = [nil, nil, nil, "acme"]
    #expect(
      fields(stubs) == [
        ["Bearer token", "k", "s", "acme"], bare, bare, bare, [nil, "k", "s", "acme"],
      ])
    #expect(stubs.requests[1].url?.absoluteString == Self.other)
  }

  @Test("The events of a URL are those of its response, and the token stays at the API's origin")
  func events() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.own), statusCode: 302,
        headers: ["Location": Self.other]),
      StubAPIResponse(request: .init(.get, urlString: Self.other), result: .json("[]")),
      StubAPIResponse(request: .init(.get, urlString: Self.other), result: .json("[]")),
      StubAPIResponse(request: .init(.get, urlString: Self.own), statusCode: 401),
      StubAPIResponse(
        request: .init(.post, urlString: "https://api.example.com/auth/refresh"),
        result: .json(#"{"accessToken": "fresh"}"#)),
      StubAPIResponse(request: .init(.get, urlString: Self.own), result: .json("{}")))
    let api = try api(stubs)
    #expect(try await api.events(url: url(Self.own)).lines().allValues == ["[]"])
    #expect(try await api.events(url: url(Self.other)).lines().allValues == ["[]"])
    #expect(try await api.events(url: url(Self.own)).lines().allValues == ["{}"])
    let bare: [String?] = [nil, nil, nil, "acme"]
    let all: [String?] = ["Bearer token", "k", "s", "acme"]
    #expect(
      fields(stubs) == [
        all, bare, bare, all, [nil, nil, nil, nil], ["Bearer fresh", "k", "s", "acme"],
      ])
    let error = await #expect(throws: RESTError.self) {
      try await api.events(url: url("/avatars/7")).allValues
    }
    #expect(error?.kind == .invalidRequest)
  }

  @Test("Redirects are followed, and a call's own fields are kept from another origin as ever")
  func redirects() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.get, urlString: Self.own), statusCode: 302,
        headers: ["Location": Self.other]),
      StubAPIResponse(request: .init(.get, urlString: Self.other), result: .json("[]")))
    let response = try await api(stubs).get(url: url(Self.own), headers: ["X-Token": "t"]).value
    #expect(response.statusCode == 200)
    #expect(stubs.requests.map { $0.value(forHTTPHeaderField: "X-Token") } == ["t", nil])
    #expect(fields(stubs)[1] == [nil, nil, nil, "acme"])
  }

  @Test("A 401 of the own origin renews the token; that of another one is the caller's")
  func refusals() async throws {
    let renewal = StubAPIResponse(
      request: .init(.post, urlString: "https://api.example.com/auth/refresh"),
      result: .json(#"{"accessToken": "fresh"}"#))
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.get, urlString: Self.other), statusCode: 401),
      StubAPIResponse(request: .init(.get, urlString: Self.own), statusCode: 401), renewal,
      StubAPIResponse(request: .init(.get, urlString: Self.own)))
    let api = try api(stubs)
    #expect(try await api.get(url: url(Self.other)).value.statusCode == 401)
    #expect(try await api.get(url: url(Self.own)).value.statusCode == 200)
    #expect(fields(stubs).map { $0[0] } == [nil, "Bearer token", nil, "Bearer fresh"])
  }

  @Test("A presigned upload is put, with its type, and a download is written")
  func transfers() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.put, urlString: Self.other), statusCode: 201),
      StubAPIResponse(request: .init(.put, urlString: Self.other), statusCode: 200),
      StubAPIResponse(
        request: .init(.get, urlString: Self.other), result: .success(Data("bytes".utf8))))
    let api = try api(stubs)
    let url = try url(Self.other)
    let body = RequestBody.data(Data("a".utf8), contentType: "image/jpeg")
    #expect(try await api.put(url: url, body: body).value.statusCode == 201)
    #expect(try await api.upload(url: url, body: body).allValues.last?.response?.statusCode == 200)
    #expect(
      stubs.requests.map { $0.value(forHTTPHeaderField: "Content-Type") } == [
        "image/jpeg", "image/jpeg",
      ])
    let folder = FileManager.default.temporaryDirectory
      .appending(path: UUID().uuidString, directoryHint: .isDirectory)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "file")
    _ = try await api.download(url: url, to: file).allValues
    #expect(try String(contentsOf: file, encoding: .utf8) == "bytes")
    #expect(fields(stubs).allSatisfy { $0 == [nil, nil, nil, "acme"] })
  }

  @Test(
    "A URL that is not absolute, or not of http, is refused before it is sent",
    arguments: ["/avatars/7", "ftp://api.example.com/x", "https:///x", "https://a:b@example.com/"])
  func refused(text: String) async throws {
    let stubs = StubTransport()
    let error = try await restError(of: api(stubs).get(url: url(text)))
    #expect(error.kind == .invalidRequest)
    #expect(stubs.requests.isEmpty)
  }

  @Test("An API whose base URL cannot be read has no origin of its own")
  func noBase() async throws {
    let stubs = StubTransport(StubAPIResponse(request: .init(.get, urlString: Self.own)))
    var api = try api(stubs)
    api.baseURL = "nonsense"
    #expect(try await api.get(url: url(Self.own)).value.statusCode == 200)
    #expect(fields(stubs) == [[nil, nil, nil, "acme"]])
  }
}
