import Foundation
import RESTKit
import RESTKitSignIn
import RESTKitTesting
import Streams
import Testing

@Suite("A grant that is kept has the time of the test that signs in", .timeLimit(.minutes(10)))
struct GrantTimeTests {
  private static func grant(
    _ transport: any Transport, scheduler: (any Scheduler)? = nil
  ) throws -> DeviceAuthorizationGrant {
    let server = try AuthorizationServer(
      issuer: "https://id.example.com", tokenEndpoint: "https://id.example.com/token",
      deviceAuthorizationEndpoint: "https://id.example.com/device")
    let client = OAuthClient(server: server, id: "tv", authentication: .none, transport: transport)
    return DeviceAuthorizationGrant(client, scheduler: scheduler) { _ in }
  }

  private static let device = StubAPIResponse(
    request: .init(.post, urlString: "https://id.example.com/device"),
    result: .json(
      #"""
      {"device_code": "d", "user_code": "WDJB-MJHT", "expires_in": 1800, "interval": 5,
      "verification_uri": "https://id.example.com/device"}
      """#))

  /// Begins a sign-in in a test on virtual time, and lets five seconds pass.
  ///
  /// - Returns: The tokens, and what the test reports.
  private func signIn(
    with grant: some SignInGrant
  ) -> (tokens: [String], reports: [String]) {
    let tokens = Lock<[String]>([])
    var reports: [String] = []
    VirtualTime.run(report: { reports.append($0) }) { time in
      let signIn = grant.credential { time.date }
        .sink(
          receiveCompletion: { _ in },
          receiveValue: { credential in tokens.withLock { $0.append(credential.accessToken) } })
      time.advance(by: .seconds(5))
      signIn.cancel()
    }
    return (tokens.withLock { $0 }, reports)
  }

  @Test("The device grant polls on the time of the test")
  func polls() throws {
    let stubs = StubTransport(
      Self.device.thenRespondWith(
        request: .init(.post, urlString: "https://id.example.com/token"),
        result: .json(#"{"access_token": "t", "token_type": "Bearer"}"#)))
    let kept = try VirtualTime.run { _ in try Self.grant(stubs) }
    let (tokens, reports) = signIn(with: kept)
    #expect(tokens == ["t"])
    #expect(reports.isEmpty)
  }

  @Test("A report names the grant that polls on another clock")
  func otherClock() throws {
    let (tokens, reports) = signIn(
      with: try Self.grant(StubTransport(Self.device), scheduler: .continuous))
    #expect(tokens.isEmpty)
    #expect(
      reports.first?.contains(" on the scheduler of its DeviceAuthorizationGrant.") == true)
  }

  @Test("A client assertion is signed with the date of its use", arguments: [false, true])
  func assertion(isForServer: Bool) async throws {
    let signed = Lock<[Data]>([])
    let assertion = try VirtualTime.run(from: Date(timeIntervalSince1970: 5)) { _ in
      let sign: @Sendable (Data) async throws -> Data = { data in
        signed.withLock { $0.append(data) }
        return Data([1])
      }
      guard isForServer else {
        return ClientAssertion(
          algorithm: "ES256", audience: "https://id.example.com", sign: sign)
      }
      let server = try AuthorizationServer(
        issuer: "https://id.example.com", tokenEndpoint: "https://id.example.com/token")
      return ClientAssertion(for: server, algorithm: "ES256", sign: sign)
    }
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: "https://id.example.com/token"),
        result: .json(#"{"access_token": "t", "token_type": "Bearer"}"#)))
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/token", id: "app",
      authentication: .assertion(assertion), transport: stubs)
    let date = Date(timeIntervalSince1970: 1_000_000)
    _ = try await VirtualTime.run(from: date) { _ in
      try await ClientCredentialsGrant(client).token(renewing: nil).value
    }
    let parts = try #require(signed.withLock { $0.first })
    let claims = String(decoding: parts, as: UTF8.self).split(separator: ".")[1]
    var text = String(claims.map { $0 == "-" ? "+" : $0 == "_" ? "/" : $0 })
    text += String(repeating: "=", count: (4 - text.count % 4) % 4)
    let json = try JSONDecoder().decode(
      JSONValue.self, from: #require(Data(base64Encoded: text)))
    #expect(json["exp"]?.integer == 1_000_060)
  }
}
