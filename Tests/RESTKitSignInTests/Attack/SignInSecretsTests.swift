import Fixtures
import Foundation
import RESTKit
import RESTKitSignIn
import Streams
import StreamsTesting
import Testing

@Suite("No text of a sign-in shows a code, a token or a key")
struct SignInSecretsTests {
  private static let redirectURI = "https://shop.example/cb"

  /// All that can be printed of a value.
  private func texts(of value: Any) -> String {
    var text =
      "\(value) \(String(reflecting: value)) \((value as? any Error)?.localizedDescription ?? "")"
    dump(value, to: &text)
    return text
  }

  private func failure(of server: SignInServer) async throws -> any Error {
    let grant = AuthorizationCodeGrant(
      try server.client(.form(secret: "canary-secret")), redirectURI: Self.redirectURI
    ) { url in
      let state = try #require(url.values(of: "state").first ?? nil)
      return try #require(URL(string: "\(Self.redirectURI)?code=canary-code&state=\(state)"))
    }
    do {
      _ = try await grant.credential(at: { Date() }).value
      throw TestFailure(name: "it succeeded")
    } catch {
      return error
    }
  }

  @Test(
    "A server that repeats the form in its response gets it into no error",
    arguments: [
      SignInServer.ServerResponse.json("<p>code=canary-code canary-secret</p>", status: 500),
      .json("code=canary-code canary-secret", status: 404),
      .json(#"{"error": "canary-code", "error_description": "canary-code"}"#, status: 400),
      .json(#"{"error": "bad", "error_description": "no canary-secret"}"#, status: 401),
      .json(
        #"{"error": "bad", "error_description": "canary-code", "error_uri": "x:canary-code"}"#,
        status: 401),
      .json(#"{"access_token": {"canary-code": "canary-secret"}}"#),
      .json(#"{"access_token": "canary-a", "token_type": "canary-code"}"#),
      .json("canary-code"),
      .json("", status: 302, headers: ["Location": "https://evil.example/?code=canary-code"]),
      .json("", status: 307, headers: ["Location": "https://evil.example/canary-code"]),
    ])
  func repeated(answer: SignInServer.ServerResponse) async throws {
    let error = try await failure(of: SignInServer(["/token": [answer]]))
    for canary in ["canary-code", "canary-secret", "canary-a"] {
      #expect(!"\(error)".contains(canary))
      #expect(!String(reflecting: error).contains(canary))
      #expect(!error.localizedDescription.contains(canary))
    }
  }

  @Test(
    "A device sign-in whose refusal repeats the client's secret does not show it",
    arguments: ["/device", "/token"])
  func repeatedToDevice(path: String) throws {
    let refusal = SignInServer.error(
      "invalid_client", more: #", "error_description": "canary-secret is wrong""#)
    var answers: [String: [SignInServer.ServerResponse]] = [
      "/device": [
        .json(
          #"{"device_code": "device-1", "user_code": "u", "verification_uri": "https://id.example.com/d","#
            + #" "expires_in": 60, "interval": 1}"#)
      ]
    ]
    answers[path] = [refusal]
    let (scheduler, subscriber) = (TestScheduler(), TestSubscriber<Credential, any Error>())
    DeviceAuthorizationGrant(
      try SignInServer(answers).client(.form(secret: "canary-secret")), scheduler: scheduler
    ) { _ in }
    .credential(at: { Date() })
    .receive(subscriber: subscriber)
    scheduler.run()
    let error = subscriber.failure as? SignInError
    #expect(error == .refused(SignInRefusal(code: "invalid_client")))
  }

  @Test("The values that an app holds during a sign-in show no secret")
  func values() throws {
    let client = try SignInServer().client(.form(secret: "canary-secret"))
    let values: [Any] = [
      AuthorizationCodeGrant(client) { _ in }, DeviceAuthorizationGrant(client) { _ in },
      OAuthRevocation(client), client,
      ClientAssertion(algorithm: "ES256", audience: "https://h") { _ in Data("canary-key".utf8) },
    ]
    for value in values { #expect(!texts(of: value).contains("canary")) }
  }
}
