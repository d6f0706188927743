import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("An upload whose token is refused is sent once more", .timeLimit(.minutes(10)))
struct UploadAuthorizationTests {
  private static let base = "https://api.example.com/v1"

  private func session(
    at base: String = base, transport: any Transport,
    options: TokenSessionOptions = TokenSessionOptions()
  ) throws -> TokenSession {
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: base, transport: transport), options: options)
    try session.signIn(Credential(accessToken: "old", refreshToken: "once"))
    return session
  }

  private func response(_ events: [UploadEvent]) -> RESTResponse? {
    guard case .response(let response) = events.last else { return nil }
    return response
  }

  @Test("TR-09: A file is sent again, whole, with the new token", arguments: TransportKind.allCases)
  func file(kind: TransportKind) async throws {
    let folder = try TemporaryFolder()
    let body = Data(repeating: 7, count: 200_000)
    let file = try folder.file("body", body)
    let server = try MockServer { request in
      guard request.path != "/auth/refresh" else { return .json(#"{"accessToken": "fresh"}"#) }
      return MockResponse(status: request.value(for: "Authorization") == "Bearer fresh" ? 201 : 401)
    }
    defer { server.stop() }
    let transport = try kind.make()
    let session = try session(at: server.baseURL, transport: transport)
    let upload = TestAPI(baseURL: server.baseURL, transport: transport)
      .upload(.put, endpoint: "a", body: .file(file))
    #expect(response(try await session.authorize(upload).allValues)?.statusCode == 201)
    #expect(server.requests.map(\.path) == ["/a", "/auth/refresh", "/a"])
    #expect(server.requests.last?.body == body)
  }

  @Test("A second 401 is an error, and so is a one-shot body")
  func refused() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.post, urlString: Self.base + "/a"), statusCode: 401).always(),
      StubAPIResponse(
        request: .init(.post, urlString: Self.base + "/auth/refresh"),
        result: .json(#"{"accessToken": "fresh"}"#)
      ).always())
    let api = TestAPI(transport: stubs)
    let first = try session(transport: stubs)
    let status = try await restError(
      of: first.authorize(api.upload(endpoint: "a", body: .data(Data("a".utf8)))).last())
    #expect(status.kind == .status(401))

    let second = try session(transport: stubs)
    let chunks = [Data("a".utf8)].publisher.setFailureType(to: (any Error).self)
    let once = try await restError(
      of: second.authorize(api.upload(endpoint: "a", body: .chunks(chunks))).last())
    #expect(once.kind == .invalidRequest)
    #expect(once.description.contains("isReplayable"))
  }

  @Test("TR-12: Progress does not count as an accepted token")
  func progress() async throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .init(.post, urlString: Self.base + "/a"), statusCode: 401).always(),
      StubAPIResponse(
        request: .init(.post, urlString: Self.base + "/auth/refresh"),
        result: .json(#"{"accessToken": "fresh"}"#)
      ).always())
    let session = try session(transport: stubs, options: TokenSessionOptions(refusalLimit: 2))
    let upload = session.authorize(
      TestAPI(transport: stubs).upload(endpoint: "a", body: .data(Data("a".utf8))))
    for _ in 1...2 { _ = try await restError(of: upload.last()) }
    let error = await #expect(throws: TokenSessionError.self) { try await upload.allValues }
    guard case .newTokensRefused = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
