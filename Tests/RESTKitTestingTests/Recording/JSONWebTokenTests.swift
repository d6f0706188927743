import Foundation
import Testing

@testable import RESTKitTesting

@Suite("Tokens whose claims a recording changes")
struct JSONWebTokenTests {
  @Test("Changed claims are written anew, and unchanged ones keep their spelling")
  func claims() throws {
    let token = try #require(JSONWebToken("eyJhIjoxfQ.eyJhIjoxfQ.c2ln"))
    #expect(token.claims == Data(#"{"a":1}"#.utf8))
    let changed = token.with(Data(#"{"b":2}"#.utf8))
    #expect(changed.text == "eyJhIjoxfQ.eyJiIjoyfQ.c2ln")
    #expect(token.with(token.claims).text == token.text)
    #expect(token.with(token.claims, signature: "new").text == "eyJhIjoxfQ.eyJhIjoxfQ.new")
    // In base64url `-` and `_` stand for `+` and `/`.
    let signs = Data([0x7B, 0x22, 0xFB, 0xEF, 0xFF])
    let spelled = token.with(signs)
    #expect(spelled.text == "eyJhIjoxfQ.eyL77_8.c2ln")
    #expect(JSONWebToken("eyJhIjoxfQ.eyJ-_w.c2ln")?.claims == Data([0x7B, 0x22, 0x7E, 0xFF]))
  }

  @Test(
    "Another text is no token",
    arguments: [
      "eyJhIjoxfQ.eyJhIjoxfQ", "eyJhIjoxfQ.eyJhIjoxfQ.c2ln.c2ln", "aaaa.eyJhIjoxfQ.c2ln",
      "eyJhIjoxfQ.aaaa.c2ln", "eyJhIjoxfQ.eyJhIjoxfQ.", "eyJhIjoxfQ.eyJhIjoxfQ.c+ln",
    ])
  func others(text: String) {
    #expect(JSONWebToken(text) == nil)
  }
}
