import Foundation
import Testing

@testable import RESTKit

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

  @Test("A pair of an endpoint's query is split at its first equals sign")
  func pairs() {
    let items = [URLQueryItem].pairs(of: "a=b=c==&d&e=")
    #expect(items.map(\.name) == ["a", "d", "e"])
    #expect(items.map(\.value) == ["b=c==", nil, ""])
  }
}
