import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Challenges are read from a response's header (RFC 9110 §11.6.1)")
struct HTTPChallengeTests {
  private func challenges(_ lines: String...) -> [HTTPChallenge] {
    HTTPHeaders(lines.map { ("WWW-Authenticate", $0) }).challenges
  }

  private func texts(_ lines: String...) -> [String] {
    HTTPHeaders(lines.map { ("WWW-Authenticate", $0) }).challenges.map { challenge in
      let parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }
      return ([challenge.scheme] + (challenge.token.map { [$0] } ?? []) + parameters)
        .joined(separator: " ")
    }
  }

  @Test("A step-up challenge has its parameters (RFC 9470 §3)")
  func stepUp() throws {
    let challenge = try #require(
      challenges(
        #"Bearer error="insufficient_user_authentication", error_description="A, \"B\"","#
          + #"acr_values="myACR  other", max_age="5""#
      ).first)
    #expect(challenge.isOf(scheme: "bearer"))
    #expect(!challenge.isOf(scheme: "Basic"))
    #expect(challenge.error == "insufficient_user_authentication")
    #expect(challenge["Error_Description"] == #"A, "B""#)
    #expect(challenge.acrValues == ["myACR", "other"])
    #expect(challenge.maxAge == .seconds(5))
    #expect(challenge.scopes.isEmpty)
    #expect(challenge.token == nil)
  }

  @Test("A parameter that is missing or of another form is nil or empty")
  func missing() throws {
    let challenge = try #require(challenges("Bearer").first)
    #expect(challenge.error == nil)
    #expect(challenge.acrValues.isEmpty)
    #expect(challenge.maxAge == nil)
    for text in ["-1", "x", "", "5.0", "99999999999999999999"] {
      #expect(challenges(#"Bearer max_age="\#(text)""#).first?.maxAge == nil, "\(text)")
    }
    #expect(challenges("Bearer max_age=0").first?.maxAge == .zero)
    #expect(challenges(#"Bearer scope="a b""#).first?.scopes == ["a", "b"])
  }

  @Test("Several challenges stand on one line or on several")
  func several() {
    #expect(
      texts(
        #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#,
        "Negotiate YWJj=, Basic", ", NTLM ,, Bearer error = x")
        == [
          #"Newauth realm=apps type=1 title=Login to "apps""#, "Basic realm=simple",
          "Negotiate YWJj=", "Basic", "NTLM", "Bearer error=x",
        ])
  }

  @Test("Forgotten commas, and texts that are no challenge, harm nothing")
  func lenient() {
    #expect(texts("Bearer error=a realm=\"b c\" scope=d") == ["Bearer error=a realm=b c scope=d"])
    #expect(texts("error=a, Bearer error=b") == ["Bearer error=b"])
    #expect(texts("Bearer error=\"a") == ["Bearer error=a"])
    #expect(texts("", "=", "=a", "\"", ",") == [])
    #expect(texts("Bearer error=\"a\\") == ["Bearer error=a\\"])
    #expect(challenges("Bearer a=1, a=2").first?["a"] == "1")
  }

  @Test("No text of a challenge shows a value")
  func hidden() throws {
    let challenge = try #require(challenges("Digest nonce=canary").first)
    #expect("\(challenge)" == #"HTTPChallenge(Digest, parameters: ["nonce"])"#)
    for text in allTexts(of: challenge) { #expect(!text.contains("canary")) }
  }
}
