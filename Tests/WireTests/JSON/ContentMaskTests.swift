import Foundation
import Testing

@testable import RESTKit

@Suite("SEC-11: secrets inside of bodies and texts")
struct ContentMaskTests {
  private func body(_ text: String, _ type: String?) -> String {
    let shown = Redaction.byName.body(Data(text.utf8), contentType: type)
    return shown.map { String(decoding: $0, as: UTF8.self) } ?? "(left out)"
  }

  private func text(_ text: String) -> String { Redaction.byName.text(inside: text) }

  @Test("A part of a multipart body is hidden by its name, and otherwise read")
  func parts() {
    let form = """
      --b\r
      Content-Disposition: form-data; name="password"\r
      \r
      canary\r
      --b\r
      Content-Disposition: form-data; name="meta"\r
      Content-Type: application/json\r
      \r
      {"token": "canary", "page": 2}\r
      --b\r
      Content-Disposition: form-data; name=note\r
      \r
      see https://h/?sig=canary\r
      --b--\r

      """
    let shown = body(form, "multipart/form-data; boundary=b")
    #expect(
      shown
        == form.replacing("\r\n\r\ncanary", with: "\r\n\r\n<redacted>")
        .replacing("\"canary\"", with: "\"<redacted>\"")
        .replacing("sig=canary", with: "sig=<redacted>"))
  }

  @Test("The parts inside of a part are read, too")
  func partsInPart() {
    let inner =
      "--c\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ncanary\r\n--c--\r\n"
    let outer =
      "--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n\(inner)\r\n--b--\r\n"
    #expect(
      body(outer, "multipart/mixed; boundary=b") == outer.replacing("canary", with: "<redacted>"))
  }

  @Test("All of a URL's user info is left out, whatever is in it")
  func userInfo() {
    #expect(text("https://me:can@ary@h/a@b") == "https://h/a@b")
    #expect(text("https://h/a@b?c=d@e") == "https://h/a@b?c=d@e")
  }

  @Test("A part that is not text stays, and a body without parts is left out")
  func otherParts() {
    let head = "--b\r\nContent-Disposition: form-data; name=\"photo\"\r\n\r\n"
    let data = Data(head.utf8) + [0xFF, 0xD8] + Data("\r\n--b--\r\n".utf8)
    #expect(Redaction.byName.body(data, contentType: "multipart/form-data") == data)
    #expect(body("preamble canary", "multipart/mixed") == "<redacted>")
    #expect(body("--b", "multipart/mixed") == "<redacted>")
    let bare = "--b\nContent-Disposition: form-data; name=\"password\"\n\ncanary\n--b--\r\n"
    #expect(body(bare, "multipart/form-data; boundary=b") == "<redacted>")
  }

  @Test(
    "Secrets are found in what a string of JSON holds",
    arguments: [
      (#"{"a": "{\"token\": \"canary\", \"b\": 1}"}"#, #"\"b\": 1"#),
      (#"{"a": "user=ada&password=canary"}"#, "user=ada&password=REDACTED"),
      (#"{"a": "https://me:canary@h/?page=2&token=canary"}"#, "https://h/?page=2&token=REDACTED"),
      (#"{"a": "mutation { login(user: \"ada\", password: \"canary\") }"}"#, #"user: \"ada\""#),
      (#"{"a": "<login user='ada' password='canary'/>"}"#, "user='ada'"),
      (#"{"a": "API_KEY=canary"}"#, "API_KEY="),
      (#"{"a": "Authorization: Bearer canary"}"#, "Authorization: "),
      (#"{"a": ["{\"b\": \"{\\\"pin\\\": \\\"canary\\\"}\"}"]}"#, "pin"),
    ])
  func inStrings(json: String, shown: String) {
    let masked = body(json, "application/json")
    #expect(!masked.contains("canary"))
    #expect(masked.contains(shown))
    #expect((try? JSONSerialization.jsonObject(with: Data(masked.utf8))) != nil)
  }

  @Test("The member that names another one decides about it, in any order")
  func pairs() {
    #expect(
      body(
        #"[{"name": "password", "value": "canary"}, {"value": "canary", "key": "api_key"}]"#, nil)
        == #"[{"name": "password", "value": "<redacted>"}, {"value": "<redacted>", "key": "api_key"}]"#
    )
    let plain = #"[{"name": "color", "value": "red"}, {"name": "password"}, {"value": "red"}]"#
    #expect(body(plain, nil) == plain)
  }

  @Test("The texts of a plural are secrets, and the objects in it have names of their own")
  func plurals() {
    #expect(
      body(
        #"{"tokens": ["canary", {"id": 7, "name": "CI", "value": "canary", "token": "canary"}]}"#,
        nil)
        == #"{"tokens": ["<redacted>", {"id": 7, "name": "CI", "value": "<redacted>", "token": "<redacted>"}]}"#
    )
    #expect(
      body(#"{"tokens": {"ios": "canary", "web": {"note": "a"}}, "max_tokens": 9}"#, nil)
        == #"{"tokens": {"ios": "<redacted>", "web": {"note": "a"}}, "max_tokens": 9}"#)
    #expect(
      body(#"{"sessions": [{"start": "a", "session_id": "canary"}], "api_keys": ["canary"]}"#, nil)
        == #"{"sessions": [{"start": "a", "session_id": "<redacted>"}], "api_keys": ["<redacted>"]}"#
    )
    #expect(
      body(#"{"api_keys": [{"key": "canary", "value": "canary"}]}"#, nil)
        == #"{"api_keys": [{"key": "<redacted>", "value": "<redacted>"}]}"#)
  }

  @Test("A form that is served as text is read as a form")
  func formAsText() {
    #expect(
      body("access_token=canary&scope=repo", "text/plain; charset=utf-8")
        == "access_token=REDACTED&scope=repo")
    #expect(body("access_token=canary&scope=repo", nil) == "access_token=REDACTED&scope=repo")
  }

  @Test(
    "Secrets are hidden in texts with names",
    arguments: [
      ("PASSWORD=canary\nUSER=ada", "PASSWORD=<redacted>\nUSER=ada"),
      ("export API_KEY='canary x'", "export API_KEY='<redacted>'"),
      ("password: canary with blanks\npage: 2", "password: <redacted>\npage: 2"),
      ("- token: canary", "- token: <redacted>"),
      ("sent Authorization: Bearer canary, then", "sent Authorization: <redacted>, then"),
      ("see https://h/?token=canary&page=2", "see https://h/?token=<redacted>&page=2"),
      (#"login(password: "canary", page: 2)"#, #"login(password: "<redacted>", page: 2)"#),
      (#"password: """a "canary" b""" x"#, #"password: """<redacted>""" x"#),
      (#"{"user": "ada", "token": "cana"#, #"{"user": "ada", "token": "<redacted>"#),
      (#"{"pin": 4711, "page": 9, "#, #"{"pin": <redacted>, "page": 9, "#),
      (#"{"token": "a\"canary", "b": "#, #"{"token": "<redacted>", "b": "#),
      (#"{"secrets": ["canary", {"a": "canary"#, #"{"secrets": ["<redacted>", {"a": "<redacted>"#),
      (#"body={\"token\":\"canary\"}"#, #"body={\"token\":\"<redacted>\"}"#),
      ("<Password>canary</Password><b>c</b>", "<Password><redacted></Password><b>c</b>"),
      ("<o:Secret a='b'>canary</o:Secret>", "<o:Secret a='b'><redacted></o:Secret>"),
      ("<token><![CDATA[canary]]></token>", "<token><![CDATA[<redacted>]]></token>"),
      ("<secrets><a>canary</a></secrets>", "<secrets><a><redacted></a></secrets>"),
      ("<login token=\"canary\" id=\"7\"/>", "<login token=\"<redacted>\" id=\"7\"/>"),
      (
        "<input name='password' value='canary'>", "<input name='password' value='<redacted>'>"
      ),
      (
        "<meta content=canary name=csrf-token>", "<meta content=<redacted> name=csrf-token>"
      ),
      ("<a href='/a?token=canary&b=c'>", "<a href='/a?token=REDACTED&b=c'>"),
      ("<token>canary", "<token><redacted>"),
    ])
  func texts(text: String, shown: String) {
    #expect(self.text(text) == shown)
  }

  @Test(
    "A text without a secret stays as it is",
    arguments: [
      "", "a", "=", ":", "<", "{", "status_code=200 country_code: DE", "sessionStart: monday",
      "query($password: String!) { a(password: $password) }", "token::type", "a == b", "12:30",
      "<p class='a'>token</p>", "<!-- a -->", "1 < 2", "<a", "<a b", "<a b=", "password", "token =",
      #"{"has_password": true, "token": null, "#, "https://h/a?b=c", "a=b&c=d", "Key", "<key/>",
      "password: true", "$TOKEN", "export TOKEN=$TOKEN_OF_CI",
    ])
  func unchanged(text: String) {
    #expect(self.text(text) == text)
  }

  @Test("Reading inside of a text ends at a depth, and takes time in proportion to its length")
  func bounds() {
    let deep = (0..<12).reduce("token=canary") { text, _ in JSONMask.quoted("[\(text)]") }
    _ = text("[\(deep)]")
    for piece in [
      "<a ", "token=", "{\"a\":", "password: [", "<token>", "a='", "=\\\"", "=\"\\", "https://h/?",
    ] {
      _ = text(String(repeating: piece, count: 20_000))
    }
  }
}
