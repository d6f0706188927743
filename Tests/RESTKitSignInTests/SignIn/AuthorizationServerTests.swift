import Fixtures
import Foundation
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@testable import RESTKit
@testable import RESTKitSignIn

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Discovery of an authorization server", .leakFree)
struct AuthorizationServerTests {
  private static func metadata(
    issuer: String = SignInServer.issuer, more: String = ""
  ) -> SignInServer.ServerResponse {
    .json(
      #"{"issuer": "\#(issuer)", "token_endpoint": "https://id.example.com/token", "#
        + #""authorization_endpoint": "https://id.example.com/authorize", "#
        + #""device_authorization_endpoint": "https://id.example.com/device", "#
        + #""revocation_endpoint": "https://id.example.com/revoke", "#
        + #""code_challenge_methods_supported": ["S256"], "unknown": {}, "#
        + #""authorization_response_iss_parameter_supported": true\#(more)}"#)
  }

  private static let place = "/.well-known/oauth-authorization-server"
  private static let secondPlace = "/.well-known/openid-configuration"

  private func discover(
    _ issuer: String = SignInServer.issuer, at server: SignInServer
  ) async throws -> AuthorizationServer {
    try await AuthorizationServer.discover(issuer: issuer, transport: server).value
  }

  @Test("The metadata is at the well-known place, and can be stored in the same format")
  func discovery() async throws {
    let server = SignInServer([Self.place: [Self.metadata()]])
    let found = try await discover(at: server)
    #expect(
      found
        == (try AuthorizationServer(
          issuer: SignInServer.issuer, tokenEndpoint: "https://id.example.com/token",
          authorizationEndpoint: "https://id.example.com/authorize",
          deviceAuthorizationEndpoint: "https://id.example.com/device",
          revocationEndpoint: "https://id.example.com/revoke", codeChallengeMethods: ["S256"],
          sendsIssuer: true)))
    #expect(server.requests.map { $0.url?.path } == [Self.place])
    let kept = try JSONEncoder().encode(found)
    #expect(try JSONDecoder().decode(AuthorizationServer.self, from: kept) == found)
  }

  @Test(
    "An issuer's path follows the well-known path, and precedes it for OpenID (RFC 8414 §3, §5)")
  func paths() async throws {
    let issuer = "https://id.example.com/o/1/"
    let server = SignInServer([
      "/o/1\(Self.secondPlace)": [Self.metadata(issuer: issuer)]
    ])
    #expect(try await discover(issuer, at: server).issuer == issuer)
    #expect(
      server.requests.map { $0.url?.path } == ["\(Self.place)/o/1", "/o/1\(Self.secondPlace)"])
  }

  @Test("A page in place of the metadata leads to the second place")
  func page() async throws {
    let server = SignInServer([
      Self.place: [.json("<!doctype html>")], Self.secondPlace: [Self.metadata()],
    ])
    #expect(try await discover(at: server).sendsIssuer)
  }

  @Test(
    "A response that is no metadata leads to the second place",
    arguments: [
      ("{}", 200), ("[]", 200), ("null", 200), (#"{"error": "not found"}"#, 200), ("", 204),
      ("", 200), ("", 202), ("", 302), ("", 308), ("", 404), ("", 410),
    ])
  func noMetadata(body: String, status: Int) async throws {
    let server = SignInServer([
      Self.place: [.json(body, status: status)], Self.secondPlace: [Self.metadata()],
    ])
    #expect(try await discover(at: server).sendsIssuer)
    #expect(server.requests.map { $0.url?.path } == [Self.place, Self.secondPlace])
  }

  @Test("A redirect of the metadata to another origin leads to the second place")
  func redirect() async throws {
    let front = StubRequest(.get, urlString: SignInServer.issuer + Self.place)
    let second = StubRequest(.get, urlString: SignInServer.issuer + Self.secondPlace)
    let metadata =
      #"{"issuer": "https://id.example.com", "token_endpoint": "https://id.example.com/t"}"#
    let transport = StubTransport(
      StubAPIResponse(
        request: front, statusCode: 302, headers: ["Location": "https://www.example.com/"],
        result: .success(Data())
      )
      .thenRespondWith(request: second, result: .json(metadata)))
    let server = try await AuthorizationServer.discover(
      issuer: SignInServer.issuer, transport: transport
    ).value
    #expect(server.tokenEndpoint == "https://id.example.com/t")
  }

  @Test(
    "Metadata with a fault is not replaced by that of the second place",
    arguments: [
      #"{"issuer": "https://id.example.com"}"#,
      #"{"issuer": "https://id.example.com", "token_endpoint": 1}"#,
    ])
  func fault(body: String) async throws {
    let server = SignInServer([
      Self.place: [.json(body)], Self.secondPlace: [Self.metadata()],
    ])
    let error = await #expect(throws: RESTError.self) { try await discover(at: server) }
    #expect(error?.kind == .decoding)
    #expect(error?.remedy.contains("RFC 8414") == true)
    #expect(error?.description.contains("optional") == false)
    #expect(server.requests.count == 1)
  }

  @Test(
    "Metadata of another issuer is refused, even for a small difference (RFC 8414 §3.3)",
    arguments: [
      "https://evil.example.com", "https://id.example.com/", "https://ID.example.com",
      "https://id.example.com:443",
    ])
  func otherIssuer(issuer: String) async throws {
    let server = SignInServer([
      Self.place: [Self.metadata(issuer: issuer)], Self.secondPlace: [Self.metadata()],
    ])
    await #expect(throws: SignInError.issuerMismatch) { try await discover(at: server) }
    #expect(server.requests.count == 1)
  }

  @Test(
    "An issuer that is not a plain https URL is not requested",
    arguments: [
      "http://id.example.com", "https://id.example.com?x=1", "https://id.example.com?",
      "https://id.example.com#a", "https://a:b@id.example.com", "id.example.com", "", "file:///etc",
      "http://127.0.0.1.evil.com", "http://localhost.evil.com",
    ])
  func badIssuer(issuer: String) async throws {
    let server = SignInServer()
    let error = await #expect(throws: SignInError.self) { try await discover(issuer, at: server) }
    guard case .invalidURL("issuer", _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.requests.isEmpty)
  }

  @Test(
    "http is allowed only for the local machine",
    arguments: ["http://127.0.0.1:8000/o", "http://[::1]:8000", "http://localhost:8000"])
  func loopback(issuer: String) throws {
    let server = try AuthorizationServer(issuer: issuer, tokenEndpoint: issuer + "/token?p=1")
    #expect(server.issuer == issuer)
    #expect(server.authorizationEndpoint == nil)
  }

  @Test(
    "Metadata with an endpoint that is not an https URL is refused, and the error names it",
    arguments: ["authorization", "device_authorization", "revocation", "token"],
    [
      "http://id.example.com/x", "javascript:alert(1)", "https://id.example.com/x#y",
      "https://id.example.com/?a b",
    ])
  func badEndpoint(name: String, url: String) async throws {
    let name = "\(name)_endpoint"
    let token = name == "token_endpoint" ? "" : #""token_endpoint": "https://id.example.com/t", "#
    let text = #"{"issuer": "https://id.example.com", \#(token)"\#(name)": "\#(url)"}"#
    let server = SignInServer([Self.place: [.json(text)]])
    let error = await #expect(throws: SignInError.self) { try await discover(at: server) }
    guard case .invalidURL(name, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test(
    "Without metadata the discovery fails with the response's error",
    arguments: [
      ("", 500, RESTError.Kind.status(500)), ("{}", 200, .status(404)), ("", 404, .status(404)),
    ])
  func absence(body: String, status: Int, kind: RESTError.Kind) async throws {
    let server = SignInServer([Self.place: [.json(body, status: status)]])
    let error = await #expect(throws: RESTError.self) { try await discover(at: server) }
    #expect(error?.kind == kind)
  }
}
