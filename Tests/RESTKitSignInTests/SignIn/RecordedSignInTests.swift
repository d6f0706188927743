import Fixtures
import Foundation
import Streams
import Testing

@testable import RESTKit
@testable import RESTKitSignIn
@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A recorded sign-in plays again, although each one has values of its own")
struct RecordedSignInTests {
  /// A server that puts the `nonce` of the request for a code into the token, as OpenID Connect
  /// demands.
  private static func identityServer() -> AnsweringTransport {
    let nonce = Lock("")
    return AnsweringTransport { request in
      guard request.url?.path == "/authorize", let url = request.url else {
        let claims = #"{"sub":"ada","sid":"canary-session","nonce":"\#(nonce.withLock { $0 })"}"#
        let token = [#"{"alg":"RS256"}"#, claims, "canary-signature"].map {
          Data($0.utf8).base64URLText
        }
        let body =
          #"{"access_token":"canary-access","id_token":"\#(token.joined(separator: "."))"}"#
        return try RESTResponse(
          to: request, headers: ["Content-Type": "application/json"], data: Data(body.utf8))
      }
      func value(_ name: String) throws -> String {
        try #require(url.values(of: name).first ?? nil)
      }
      let sent = try value("nonce")
      nonce.withLock { $0 = sent }
      let callback = "\(try value("redirect_uri"))?code=canary-code&state=\(try value("state"))"
      return try RESTResponse(to: request, status: 302, headers: ["Location": callback])
    }
  }

  private struct SignedIn {
    let state: String
    let callback: String
    let token: String
    let me: Int
  }

  /// Signs in with a browser that goes over the same transport.
  private static func signIn(over stubs: StubTransport, nonce: String) async throws -> SignedIn {
    let server = try AuthorizationServer(
      issuer: "https://id.example.com", tokenEndpoint: "https://id.example.com/token",
      authorizationEndpoint: "https://id.example.com/authorize")
    let client = OAuthClient(server: server, id: "app", authentication: .none, transport: stubs)
    let visited = ValueLog<String>()
    let grant = AuthorizationCodeGrant(
      client, parameters: [URLQueryItem(name: "nonce", value: nonce)]
    ) { url in
      let answer = try await stubs.response(for: URLRequest(url: url)).value
      let location = try #require(answer.headers["Location"])
      visited.add(try #require(url.values(of: "state").first ?? nil))
      visited.add(location)
      let callback = URLRequest(url: try #require(URL(string: location)))
      _ = try await URLSessionTransport().response(for: callback).value
    }
    let credential = try await grant.credential(at: { WallClock.start }).value
    var request = URLRequest(url: try #require(URL(string: "https://id.example.com/me")))
    request.setValue("Bearer \(credential.accessToken)", forHTTPHeaderField: "Authorization")
    let response = try await stubs.response(for: request).value
    let answer = try JSONDecoder().decode([String: String].self, from: response.data)
    return SignedIn(
      state: try #require(visited.all.first), callback: try #require(visited.all.last),
      token: try #require(answer["id_token"]), me: response.statusCode)
  }

  @Test("The state, the nonce and the port of this sign-in come back, and the rest is as recorded")
  func plays() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "sign-in.har")
    let recorder = try StubTransport.record(
      to: file.path, over: Self.identityServer(), mode: .always)
    let recorded = try await Self.signIn(over: recorder, nonce: "canary-nonce-one")
    try recorder.verify()
    let text = try String(contentsOf: file, encoding: .utf8)
    #expect(!text.contains("canary") && !text.contains(recorded.state))

    let player = try StubTransport.record(
      to: file.path, over: AnsweringTransport { _ in throw TestFailure() }, mode: .never)
    let played = try await Self.signIn(over: player, nonce: "another/nonce=2")
    try player.verify()
    #expect(played.me == 200)
    #expect(played.state != recorded.state)
    #expect(played.callback.hasSuffix("state=\(played.state)"))
    let claims = try #require(JSONWebToken(played.token)).claims
    let values = try JSONDecoder().decode([String: String].self, from: claims)
    #expect(values["sub"] == "ada")
    #expect(values["nonce"] == "another/nonce=2")
    #expect(values["sid"]?.hasPrefix("secret-") == true)
  }
}
