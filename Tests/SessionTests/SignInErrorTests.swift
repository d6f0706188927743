import RESTKit
import Testing

@Suite("The texts of sign-in errors")
struct SignInErrorTests {
  @Test(
    "An error names the fault and the remedy",
    arguments: [
      (
        .refused(SignInRefusal(code: "invalid_scope", explanation: "No such scope")),
        "No such scope"
      ),
      (.expired, "Begin it again"), (.superseded, "Nothing has to be done"),
      (.stateMismatch, "Begin the sign-in again"), (.issuerMismatch, "Check the issuer"),
      (.redirectMismatch, "Register and pass the same URI"),
      (.malformedCallback("has a parameter twice"), "The callback has a parameter twice."),
      (.malformedResponse("has no expires_in"), "response has no expires_in."),
      (.notSupported("revocation_endpoint"), "does not offer revocation_endpoint."),
      (.invalidURL(name: "issuer", reason: "has a query"), "The issuer has a query."),
      (.reservedParameter("state"), "Remove it"),
      (.notListening("bind to 127.0.0.1:80: Permission denied"), "Choose another port"),
    ] as [(SignInError, String)])
  func texts(error: SignInError, part: String) {
    #expect("\(error)".contains(part))
  }

  @Test("A refusal keeps 500 characters of each text, and no terminal commands")
  func refusal() {
    let refusal = SignInRefusal(
      code: "a\u{1b}\u{202e}\n\u{2028}b", explanation: String(repeating: "é", count: 600))
    #expect(refusal.code == "ab")
    #expect(refusal.explanation?.count == 500)
    #expect(refusal.description.hasPrefix("ab: éé"))
    #expect(SignInRefusal(code: "x").description == "x")
  }

  @Test("SEC-11: A refusal shows no secret with escapes, and no beginning of one at its cut")
  func hiding() {
    let secret = "code/canary+7f3a"
    let escaped = ["code%2Fcanary%2B7f3a", "code%2fcanary%2b7f3a", "code%252Fcanary%252B7f3a"]
    for text in [secret] + escaped {
      let refusal = SignInRefusal(
        code: text, explanation: "not \(text).", page: "https://h/?\(text)"
      )
      .hiding(["", secret])
      #expect(refusal == SignInRefusal(code: "hidden"))
    }
    let cut = String(repeating: "a", count: 490)
    for text in [cut + "code/canary+7f3a", cut + "aaaaaacode"] {
      #expect(
        SignInRefusal(code: "x", explanation: text).hiding([secret]).explanation == nil)
    }
    let kept = SignInRefusal(code: "x", explanation: "a 5% code% fault")
    #expect(kept.hiding([secret, ""]) == kept)
    #expect(SignInRefusal(code: "x", explanation: cut).hiding(["aaab"]).explanation == cut)
  }
}
