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
}
