import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Reports that hide secrets")
struct StubSecretsTests {
  private struct API: RESTAPI {
    let baseURL = base
    let transport: any Transport
    let secretHeaders = ["X-Tenant"]
  }

  /// What a transport that hides secrets tells of a request that fits no stub.
  private static func text(
    of stub: StubRequest, type: String = "application/json", body: String
  ) throws -> String {
    let stubs = StubTransport(StubAPIResponse(request: stub), hidesSecrets: true)
    var request = URLRequest(
      url: try #require(URL(string: "https://h.example/a?token=canary&page=2")))
    request.httpMethod = "POST"
    request.setValue(type, forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(body.utf8)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    stubs.response(for: request).receive(subscriber: subscriber)
    let verified = try #require(throws: StubError.self) { try stubs.verify() }
    return "\(try #require(subscriber.failure))\n\(verified)"
  }

  @Test(
    "A stub's own line shows no secret of its URL",
    arguments: [
      ("https://h.example/a?token=canary1&page=1", "https://h.example/a?token=REDACTED&page=1"),
      ("https://me:canary1@h.example/a", "https://h.example/a"),
      ("https://h.example/a#access_token=canary1", "https://h.example/a#access_token=REDACTED"),
      ("https://h.example/b?next=https://i/?key=canary1", "https://h.example/b?next="),
      ("https://h.example/a?token=canary1 |", "https://h.example/a?token="),
      ("/a?token=canary1", "/a?token=REDACTED"),
    ])
  func url(url: String, shown: String) throws {
    let text = try Self.text(of: StubRequest(.get, urlString: url), body: "")
    #expect(!text.contains("canary"), "\(text)")
    #expect(text.contains("  GET \(shown)"), "\(text)")
    let parts = StubRequest(.get, path: url)
    #expect(!(try Self.text(of: parts, body: "").contains("canary1")))
  }

  @Test("A transport of a list or of arguments hides values only if it is told to")
  func shown() throws {
    let stub = StubAPIResponse(request: StubRequest(.get, urlString: base + "/a?token=canary"))
    let all = try [
      StubTransport([stub]), StubTransport(stub), StubTransport([stub], over: .shared),
      StubTransport(stub, over: .shared),
    ]
    for stubs in all {
      #expect(stubs.unusedStubs.joined().contains("canary"))
      #expect(throws: StubError.self) { try stubs.verify() }
    }
  }

  @Test("An unused stub, the notice of a consequence and an invalid stub show no secret, either")
  func lines() throws {
    let secret = StubRequest(.get, urlString: base + "/a?token=canary")
    let unused = StubTransport(StubAPIResponse(request: secret), hidesSecrets: true)
    #expect(!unused.unusedStubs.joined().contains("canary"))
    let invalid = StubTransport(
      StubAPIResponse(
        request: secret, headers: ["Content-Length": "x"], pieces: ["a"]),
      StubAPIResponse(request: secret, result: .file(URL(filePath: "/nowhere"))),
      hidesSecrets: true)
    for stubs in [unused, invalid] {
      let error = try #require(throws: StubError.self) { try stubs.verify() }
      #expect(!error.description.contains("canary"), "\(error)")
      #expect(error.description.contains("/a?token=REDACTED → "), "\(error)")
    }
  }

  @Test("The text of a check's error shows no secret that it names")
  func check() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a")).thenVerifyRequest { _ in
        throw TestFailure(description: "wrong: password=canary, and {\"pin\": 4711}")
      }, hidesSecrets: true)
    _ = try? stubs.text("/a")
    let error = try #require(throws: StubError.self) { try stubs.verify() }
    #expect(!error.description.contains("canary") && !error.description.contains("4711"))
    #expect(error.description.contains("fails the check at RESTKitTestingTests/"))
  }

  @Test("Names that an API declares are hidden in the lines of stubs, too")
  func declared() throws {
    let stubs = StubTransport(
      StubAPIResponse(request: StubRequest(.get, urlString: base + "/a?x-tenant=canary1")),
      StubAPIResponse(request: StubRequest(.get, urlString: base + "/b?x-tenant=canary2")),
      hidesSecrets: true)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    API(transport: stubs).get(endpoint: "a", query: ["x-tenant": "canary3"])
      .receive(subscriber: subscriber)
    let verified = try #require(throws: StubError.self) { try stubs.verify() }
    let text = "\(try #require(subscriber.failure))\n\(verified)\n\(stubs.unusedStubs)"
    #expect(!text.contains("canary"), "\(text)")
  }

  @Test(
    "A JSON body shows no secret",
    arguments: [
      #"{"password": "canary"}"#, #"{"user": {"password": "canary"}}"#, #"{"pin": 474747}"#,
      #"{"list": [{"password": "canary"}]}"#, #"{"passwords": ["canary", "canary2"]}"#,
      #"{"password": {"value": "canary"}}"#, #"{"user.password": "canary"}"#,
      #"{"my password": "canary"}"#, #"{"note": "{\"password\": \"canary\"}"}"#,
      #"{"note": "https://h/?token=canary"}"#, #"{"password": ["a", {"b": "canary"}]}"#,
      #"[{"name": "password", "value": 1}, {"password": "canary"}]"#, #"{"password":"canary"#,
      #"{"user": "Ann", "password": "canary"} and more"#, #"{"userPassword": "canary"}"#,
      #"{"pass": {"word": 474747}}"#, #"{"a b": {"token[0]": "canary"}}"#,
      #"{"$.token": "canary"}"#,
    ])
  func json(body: String) throws {
    let other = body.replacing("canary", with: "canary3").replacing("474747", with: "474748")
    let partial = StubRequest(.post, path: "/a").jsonBody(containing: other)
    for stub in [
      StubRequest(.post, path: "/a").jsonBody(other), partial, partial.jsonBody("[1]"),
      StubRequest(.post, path: "/a").jsonBody("{}"), StubRequest().body(Data(other.utf8)),
      StubRequest().multipartBody(StubPart(name: "a")), StubRequest().formBody([other: "1"]),
    ] {
      for type in ["application/json", "text/plain", ""] {
        let text = try Self.text(of: stub, type: type, body: body)
        #expect(!text.contains("canary") && !text.contains("4747"), "\(text)")
      }
    }
  }

  @Test(
    "A form shows no secret",
    arguments: [
      "password=canary", "user=Ann&password=canary", "login%5Bpassword%5D=canary",
      "login[password]=canary", "next=https%3A%2F%2Fh%2F%3Ftoken%3Dcanary",
      "user=Ann&p%61ssword=canary", "data=%7B%22password%22%3A%22canary%22%7D",
      "password=%22canary",
      "password+hint=canary", "password=canary\n", "otp=canary&x",
    ])
  func form(body: String) throws {
    let other = body.replacing("canary", with: "canary3")
    for stub in [
      StubRequest().body(Data(other.utf8)), StubRequest().formBody(["user": "Bob"]),
      StubRequest().formBody([
        "password": "canary3", "login[password]": "canary3", "data": #"{"password":"canary3"}"#,
        "next": "https://h/?token=canary3",
      ]), StubRequest().jsonBody("{}"),
    ] {
      for type in ["application/x-www-form-urlencoded", "text/plain", ""] {
        let text = try Self.text(of: stub, type: type, body: body)
        #expect(!text.contains("canary"), "\(text)")
      }
    }
  }

  @Test("A part of a multipart form shows no secret")
  func multipart() throws {
    let body =
      "--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ncanary\r\n"
      + "--x\r\nContent-Disposition: form-data; name=\"data\"\r\n"
      + "Content-Type: application/json\r\n\r\n{\"password\": \"canary\"}\r\n"
      + "--x\r\nContent-Disposition: form-data; name=\"my token\"\r\n\r\ncanary\r\n--x--\r\n"
    for stub in [
      StubRequest().multipartBody(
        StubPart(name: "password", value: "canary1"),
        StubPart(name: "data", value: #"{"password": "canary2"}"#),
        StubPart(name: "my token", value: "canary3")),
      StubRequest().body(Data(body.replacing("canary", with: "canary4").utf8)),
    ] {
      let text = try Self.text(of: stub, type: "multipart/form-data; boundary=x", body: body)
      #expect(!text.contains("canary"), "\(text)")
    }
  }

  @Test("Two values that differ only in what is hidden have two different lines")
  func another() throws {
    let stub = StubRequest().body(Data(#"{"password": "canary1"}"#.utf8))
    let text = try Self.text(of: stub, body: #"{"password": "canary2"}"#)
    #expect(text.contains("\n    - body: {\"password\": \"<redacted>\"}\n"), "\(text)")
    #expect(text.contains("\n    + body: {\"password\": \"<redacted>\"}, with another secret"))
  }
}
