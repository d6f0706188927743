import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("The recipient of a client's assertion")
struct AssertionAudienceTests {
  private func assertion(_ claims: String) -> String {
    let content = Data(claims.utf8).base64EncodedString()
      .replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
      .replacingOccurrences(of: "=", with: "")
    return "e30.\(content).sig"
  }

  @Test("It is read from claims of any length", arguments: 0...5)
  func length(padding: Int) {
    let blanks = String(repeating: " ", count: padding)
    let foreign = assertion(#"{"aud": "https://other.example"\#(blanks)}"#)
    #expect(throws: ClientAssertionError.self) {
      try AssertionAudience.check(
        foreign, sentTo: "https://id.example.com/token", of: "https://id.example.com")
    }
    let own = assertion(#"{"aud": ["https://id.example.com"]\#(blanks)}"#)
    #expect(throws: Never.self) {
      try AssertionAudience.check(
        own, sentTo: "https://id.example.com/token", of: "https://id.example.com")
    }
  }

  @Test("A question mark in an endpoint's query belongs to it")
  func questionMark() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.post, urlString: "https://id.example.com/token?x=a?b"),
        result: .json(#"{"access_token": "t", "token_type": "Bearer"}"#)))
    let client = OAuthClient(
      tokenEndpoint: "https://id.example.com/token?x=a?b", id: "app", authentication: .none,
      transport: stubs)
    _ = try await RefreshTokenGrant(client)
      .token(renewing: Credential(accessToken: "old", refreshToken: "r")).value
    #expect(stubs.requests.map { $0.url?.query() } == ["x=a%3Fb"])
  }

  @Test("A pair of an endpoint's query is split at its first equals sign")
  func pairs() {
    let items = [URLQueryItem].pairs(of: "a=b=c==&d&e=")
    #expect(items.map(\.name) == ["a", "d", "e"])
    #expect(items.map(\.value) == ["b=c==", nil, ""])
  }
}
