import Testing

@testable import RESTKitTesting

@Suite("The names in a query or a form tell a sign-in")
struct RecordedNamesTests {
  @Test(
    "A sign-in is a response type, or a state with a code or an error, at any place of the text",
    arguments: [
      "response_type=code", "response_type=code&a=1", "a=1&response_type=code",
      "https://h/a?response_type=code", "https://h/a#response_type=token",
      "next=%2Fa%3Fresponse_type%3Dcode", "next=a%26response_type%3Dcode",
      "response_type%3Dcode", "state=1&code=2", "code=2&state=1", "state=1&error=denied",
      "https://h/a?code=2&state=1", "https://h/a#state=1&error=denied",
    ])
  func signIn(text: String) {
    #expect(RecordedNames.Place.fields(text) == .signIn)
  }

  @Test(
    "Other queries and forms are those of a request",
    arguments: [
      "", "a=1", "state=1", "code=2", "error=denied", "code=2&error=denied", "response_type",
      "my_response_type=code", "a_state=1&code=2", "state=1&zip_code=2", "state&code",
      "a=response_type", "next=response_type%26a", "state=1&an_error=2",
    ])
  func others(text: String) {
    #expect(RecordedNames.Place.fields(text) == .request)
  }
}
