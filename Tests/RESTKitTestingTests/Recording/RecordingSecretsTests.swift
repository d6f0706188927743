import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("A recording holds no secrets and still matches", .timeLimit(.minutes(10)))
struct RecordingSecretsTests {
  private static let stored = "stored-access-canary"
  private static let fresh = "fresh-access-canary"

  /// A server that refuses the stored token and sells another one.
  private static func bench() throws -> RecordingBench {
    try RecordingBench { request in
      if request.path == "/auth/refresh" {
        return .json(#"{"result": {"accessToken": "\#(fresh)", "refreshToken": "next-canary"}}"#)
      }
      return request.value(for: "Authorization") == "Bearer \(fresh)"
        ? .json(#"{"id": 7, "echo": "\#(fresh)"}"#) : MockResponse(status: 401)
    }
  }

  private static func session(
    _ api: RecordingBench.API, token: String = stored
  ) throws -> TokenSession {
    let session = TokenSession(
      grant: JSONRefreshGrant(baseURL: api.baseURL, transport: api.transport))
    try session.signIn(Credential(accessToken: token, refreshToken: "refresh-canary"))
    return session
  }

  @Test("A refused token, a refresh and the new token play again, and the file holds no token")
  func refresh() async throws {
    let bench = try Self.bench()
    let (recorded, played) = try await bench.recordAndPlay { api in
      let session = try Self.session(api)
      let response = try await session.authorize(api.get(endpoint: "me")).value
      return String(decoding: response.data, as: UTF8.self)
    }
    #expect(recorded == #"{"id": 7, "echo": "fresh-access-canary"}"#)
    #expect(played == #"{"id": 7, "echo": "recorded-secret-3AA"}"#)
    #expect(try !bench.text.contains("canary"))
  }

  @Test("A test's own token may differ, and an issued token must be sent as it was played")
  func issued() async throws {
    let bench = try Self.bench()
    let recorder = try bench.recorder()
    _ = try await Self.session(bench.api(recorder)).authorize(
      bench.api(recorder).get(endpoint: "me")
    ).value
    try recorder.verify()

    let player = try bench.player()
    let api = bench.api(player)
    _ = try await Self.session(api, token: "quite another").authorize(api.get(endpoint: "me")).value
    try player.verify()

    let wrong = bench.api(try bench.player())
    func me(_ token: String) async throws -> Int {
      try await wrong.get(endpoint: "me") { request in
        request.settingHeader("Authorization", to: "Bearer \(token)")
      }
      .value.statusCode
    }
    #expect(try await me("any") == 401)
    let error = await #expect(throws: StubError.self) { try await me("wrong-canary") }
    let text = try #require(error?.description)
    #expect(
      text.contains(
        "- header Authorization: <redacted>\n    + header Authorization: <redacted>, another"))
    #expect(!text.contains("canary"))
  }

  /// A number that no port, time or size in a file can have.
  private static let pin: Int64 = 730_519_482_611_730_942

  private static let echo: @Sendable (MockRequest) -> MockResponse = { request in
    MockResponse(
      status: 200,
      headers: [
        ("Content-Type", "application/json"), ("Set-Cookie", "sid=cookie-canary; Path=/; HttpOnly"),
        ("X-Session-Id", "session-canary"), ("X-Echo", "see cookie-canary"),
        ("Location", "/next?token=location-canary&page=2#access_token=fragment-canary"),
        ("Link", #"</last?token=link-canary&page=9>; rel="last""#),
      ],
      body: Data(
        #"""
        {"token_type": "Bearer", "expires_in": 60, "access_token": "json\/canary/long",
         "code": "not_found", "nested": {"password": ["list-canary", 1]}, "pin": \#(Self.pin)}
        """#.utf8))
  }

  @Test("Secrets are hidden in header fields, cookies, queries, forms, parts and JSON")
  func everywhere() async throws {
    let bench = try RecordingBench(Self.echo)
    _ = try await bench.recordAndPlay(secrets: ["tenant"]) { api in
      let form: MultipartForm = [
        .text(name: "password", "part-canary"), .text(name: "title", "shown-part"),
      ]
      _ = try await api.post(endpoint: "parts", body: .multipart(form)).value
      _ = try await api.post(
        endpoint: "form",
        body: .form([
          URLQueryItem(name: "client_secret", value: "form canary&1"),
          URLQueryItem(name: "scope", value: "shown-scope"),
        ])
      ).value
      _ = try await api.post(
        endpoint: "json", body: .json(["tenant": "tenant-canary", "note": "shown-note"])
      ).value
      var request = URLRequest(
        url: try bench.url("/query?api_key=query%20canary&page=2&echo=query%20canary"))
      request.setValue("sid=sent-cookie-canary; theme=dark-canary", forHTTPHeaderField: "Cookie")
      request.setValue("Basic YmFzaWMtY2FuYXJ5", forHTTPHeaderField: "Authorization")
      request.setValue("tenant-canary", forHTTPHeaderField: "Tenant")
      return try await api.transport.response(for: request).value.statusCode
    }
    let text = try bench.text
    #expect(!text.contains("canary"))
    #expect(!text.contains("YmFzaWM"))
    #expect(!text.contains("\(Self.pin)"))
    for shown in [
      "shown-part", "shown-scope", "shown-note", #"\"token_type\": \"Bearer\""#,
      #"\"expires_in\": 60"#, "not_found", "page=2", "Path=/; HttpOnly", "Basic secret-",
      "/next?token=secret-", "page=9>; rel=",
    ] {
      #expect(text.contains(shown), "\(shown)")
    }
  }

  @Test("A length is the length of the body with placeholders, so the body is not cut")
  func length() async throws {
    let bench = try RecordingBench { _ in .json(#"{"access_token": "a", "last": true}"#) }
    let (_, played) = try await bench.recordAndPlay { api in
      try await api.get(endpoint: "token").value
    }
    let text = #"{"access_token": "recorded-secret-1", "last": true}"#
    #expect(String(decoding: played.data, as: UTF8.self) == text)
    #expect(played.headers["Content-Length"] == "\(text.utf8.count)")
  }

  @Test("A name that only looks like a secret's is shown if the test allows it")
  func shown() async throws {
    let bench = try RecordingBench { _ in .json(#"{"session": "monday"}"#) }
    let recorder = try bench.recorder(shown: ["session"])
    _ = try await bench.api(recorder).get(endpoint: "term").value
    try recorder.verify()
    #expect(try bench.text.contains("monday"))
  }

  @Test("A form with another secret of the test matches, and a form without one does not")
  func freeSecrets() async throws {
    let bench = try RecordingBench { _ in MockResponse(status: 204) }
    func login(_ stubs: StubTransport, _ fields: KeyValuePairs<String, String>) async throws -> Int
    {
      let items = QueryItems(fields.map { URLQueryItem(name: $0.key, value: $0.value) })
      return try await bench.api(stubs).post(endpoint: "login", body: .form(items)).value.statusCode
    }
    let recorder = try bench.recorder()
    _ = try await login(recorder, ["user": "ada", "password": "one"])
    try recorder.verify()
    let player = try bench.player()
    #expect(try await login(player, ["user": "ada", "password": "two"]) == 204)
    let error = await #expect(throws: StubError.self) {
      try await login(player, ["user": "ada"])
    }
    #expect(error?.description.contains("+ form password: (none)") == true)
    #expect(error?.description.contains("used up") == true)
  }

  @Test(
    "Secrets are hidden in events with any line ends, and in truncated JSON",
    arguments: [
      #"data: {"access_token": "one-canary"}"# + "\r\n\r\n"
        + #"data: {"access_token": "two-canary"}"# + "\r\n\r\n",
      #"{"user": "ada", "access_token": "cut-canary", "refresh_token": "next-canar"#,
      #"{"user": "ada", "access_token":"# + "\n" + #""cut-canary", "list": ["#
        + "\n" + #"{"refresh_token": "next-canar"#,
      #"data: {"user": "ada", "access_token":"# + "\n" + #"data: "one-canary", "password": ["#
        + "\nid: 7\n" + #"data:  "two-canary"]}"# + "\n\n",
      #"data: {"access_token":"# + "\r\n" + #"data:"one-canary", "secrets": {"a":"#
        + "\r\n" + #"data: "two-canary"}}"# + "\r\n\r\n",
      #"data: {"access_token":"# + "\r" + #"data: "one-canary", "refresh_token":"#
        + "\r" + #"data: "two-canary"}"# + "\r\r",
      #"data: {"access_token":"# + "\n" + #"data: "one-canary", "refresh_token":"#
        + "\n" + #"data: "two-canar"#,
    ])
  func fragments(body: String) async throws {
    let bench = try RecordingBench { _ in .text(body) }
    _ = try await bench.recordAndPlay { api in
      try await api.get(endpoint: "a").value.statusCode
    }
    #expect(try !bench.text.contains("canar"))
    #expect(try bench.text.contains("secret-2"))
  }

  @Test("Secrets in a form without a Content-Type are hidden, and match other secrets")
  func untypedForm() async throws {
    let bench = try RecordingBench { _ in
      MockResponse(
        status: 200, headers: [], body: Data("access_token=answer-canary&scope=shown-scope".utf8))
    }
    func login(_ stubs: StubTransport, _ body: String) async throws -> Int {
      var request = URLRequest(url: try bench.url("/login"))
      request.httpMethod = "POST"
      request.httpBody = Data(body.utf8)
      return try await stubs.response(for: request).value.statusCode
    }
    let recorder = try bench.recorder()
    _ = try await login(recorder, "user=shown-user&password=form-canary")
    try recorder.verify()
    let text = try bench.text
    #expect(!text.contains("canary"))
    #expect(text.contains("user=shown-user&password=secret-"))
    #expect(text.contains("&scope=shown-scope"))
    let player = try bench.player()
    #expect(try await login(player, "user=shown-user&password=another") == 200)
    try player.verify()
  }

  @Test("A text with an equals sign that is not a form stays unchanged")
  func noForm() async throws {
    let body = #"<a href="x?page=shown">the page = shown</a>"#
    let bench = try RecordingBench { _ in
      MockResponse(status: 200, headers: [], body: Data(body.utf8))
    }
    let (_, played) = try await bench.recordAndPlay { api in
      try await api.get(endpoint: "a").value
    }
    #expect(String(decoding: played.data, as: UTF8.self) == body)
  }

  @Test("Secrets in the queries of URLs that are values in JSON are hidden")
  func signedURLs() async throws {
    let bench = try RecordingBench { _ in
      .json(
        #"""
        {"files": [{"url": "https:\/\/s3.example/a?X-Amz-Date=shown-date&X-Amz-Signature=url-canary"}],
         "next": "/a?page=2&token=next-canary", "note": "why? token=note-canary",
         "db": "https://ada:user-canary@db.example/a?b=c"}
        """#)
    }
    let (_, played) = try await bench.recordAndPlay { api in
      try await api.post(
        endpoint: "a", body: .json(["callback": "https://me.example/?code=sent-canary"])
      ).value
    }
    let text = try bench.text
    #expect(!text.contains("canary"))
    let answer = String(decoding: played.data, as: UTF8.self)
    for shown in [
      "https://s3.example/a?X-Amz-Date=shown-date&X-Amz-Signature=secret-",
      "/a?page=2&token=secret-", "why? token=secret-",
    ] {
      #expect(answer.contains(shown), "\(shown)")
    }
  }

  @Test("A secret in a form with a file is hidden, and matches another secret")
  func formWithFile() async throws {
    let bench = try RecordingBench { _ in MockResponse(status: 204) }
    func send(_ stubs: StubTransport, password: String) async throws {
      let form: MultipartForm = [
        .text(name: "password", password), .text(name: "note", "see \(password)"),
        .data(
          name: "photo", Data([0xFF, 0xD8, 0xFE]), filename: "a.jpg", contentType: "image/jpeg"),
      ]
      _ = try await bench.api(stubs).post(endpoint: "a", body: .multipart(form)).value
    }
    let recorder = try bench.recorder()
    try await send(recorder, password: "part-canary")
    try recorder.verify()
    let text = try bench.text
    let posted = text.firstMatch(of: /"_base64" ?: "([^"]+)"/).map { String($0.output.1) }
    let bytes = try #require(posted.flatMap { Data(base64Encoded: $0) })
    #expect(bytes.range(of: Data("canary".utf8)) == nil)
    #expect(bytes.range(of: Data("see secret-1".utf8)) != nil)

    let player = try bench.player()
    try await send(player, password: "another")
    try player.verify()
  }

  @Test("Both refresh tokens of a grant with its own names are hidden")
  func ownNames() async throws {
    let bench = try RecordingBench { _ in
      .json(#"{"data": {"token": "access-canary", "refresh": "next-canary", "ttl": 3600}}"#)
    }
    _ = try await bench.recordAndPlay { api in
      let names = JSONRefreshGrant.Names(
        sentRefreshToken: "refresh", accessToken: "token", refreshToken: "refresh", lifetime: "ttl",
        envelope: "data")
      let grant = JSONRefreshGrant(
        baseURL: api.baseURL, names: names, transport: api.transport)
      let old = Credential(accessToken: "old-canary", refreshToken: "refresh-canary")
      return try await grant.token(renewing: old).value.accessToken
    }
    #expect(try !bench.text.contains("canary"))
  }

  private struct CompressingAPI: RESTAPI {
    let baseURL: String
    let transport: any Transport
    let requestCompression: RequestCompression? = .gzip(minimumBytes: 1)
  }

  @Test(
    "A compressed body is recorded without its compression and its secrets, and matches another")
  func compressed() async throws {
    let bench = try RecordingBench { _ in MockResponse(status: 204) }
    func login(_ stubs: StubTransport, _ password: String) async throws {
      let fields = ["password": password, "note": String(repeating: "shown", count: 200)]
      let api = CompressingAPI(baseURL: bench.server.baseURL, transport: stubs)
      _ = try await api.post(endpoint: "login", body: .json(fields)).value
    }
    let recorder = try bench.recorder()
    try await login(recorder, "gzip-canary")
    try recorder.verify()
    #expect(bench.server.requests.first?.value(for: "Content-Encoding") == "gzip")
    let text = try bench.text
    #expect(!text.contains("canary") && !text.contains("H4sI") && !text.contains("_base64"))
    #expect(text.contains("shownshown"))
    #expect(!text.lowercased().contains("content-encoding"))
    let player = try bench.player()
    try await login(player, "another")
    try player.verify()
  }

  @Test(
    "A body in another coding is left out, and so is one that its coding does not fit",
    arguments: ["br", "gzip"])
  func otherCoding(coding: String) async throws {
    let bench = try RecordingBench { _ in MockResponse(status: 204) }
    for body in ["br-canary", "another"] {
      let stubs = try body == "another" ? bench.player() : bench.recorder()
      var request = URLRequest(url: try bench.url("/a"))
      request.httpMethod = "POST"
      request.setValue(coding, forHTTPHeaderField: "Content-Encoding")
      request.httpBody = Data(body.utf8)
      _ = try await stubs.response(for: request).value
      try stubs.verify()
      #expect(try !bench.text.contains(Data("br-canary".utf8).base64EncodedString()))
      #expect(try !bench.text.contains("canary"))
    }
  }

  @Test("The sign-in of a tool plays again with its own verifier and port")
  func codeGrant() async throws {
    let bench = try RecordingBench { _ in .json(#"{"access_token": "access-canary"}"#) }
    func token(_ stubs: StubTransport, port: Int, run: String) async throws {
      let items = [
        "grant_type": "authorization_code", "code": "code-canary-\(run)",
        "redirect_uri": "http://127.0.0.1:\(port)/callback", "code_verifier": "canary-\(run)",
      ]
      let body = RequestBody.form(
        QueryItems(items.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0, value: $1) }))
      _ = try await bench.api(stubs).post(endpoint: "token", body: body).value
    }
    let recorder = try bench.recorder()
    try await token(recorder, port: 53_124, run: "first")
    try recorder.verify()
    #expect(try !bench.text.contains("canary"))
    let player = try bench.player()
    try await token(player, port: 41_000, run: "second")
    try player.verify()
  }

  @Test("A placeholder keeps the format of its secret")
  func formats() async throws {
    let claims = #"eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEiLCJleHAiOjl9"#
    let digest = String(repeating: "3f", count: 32)
    let bench = try RecordingBench { _ in
      .json(
        """
        {"session_id": "6F9619FF-8B86-D011-B42D-00C04FC964FF", "id_token": "\(claims).c2ln",
         "hmac": "\(digest)", "client_key": "\(Data((0..<32).map { UInt8($0) }).base64EncodedString())"}
        """)
    }
    let (recorded, played) = try await bench.recordAndPlay { api in
      let data = try await api.get(endpoint: "a").value.data
      return try JSONDecoder().decode([String: String].self, from: data)
    }
    #expect(played.values.allSatisfy { !recorded.values.contains($0) })
    #expect(UUID(uuidString: try #require(played["session_id"])) != nil)
    #expect(played["id_token"]?.hasPrefix("\(claims).recorded-secret-") == true)
    #expect(played["hmac"]?.count == 64)
    #expect(Data(base64Encoded: try #require(played["client_key"]))?.count == 32)
  }

  @Test("A secret with a format matches another one, and one that was issued must be as played")
  func formatsMatch() async throws {
    let bench = try RecordingBench { request in
      .json(#"{"session_id": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "path": "\#(request.path)"}"#)
    }
    func send(_ stubs: StubTransport, _ key: String) async throws {
      let api = bench.api(stubs)
      let text = try await api.post(endpoint: "a", body: .json(["session_id": key])).value.data
      let issued = try JSONDecoder().decode([String: String].self, from: text)["session_id"]
      _ = try await api.post(endpoint: "b", body: .json(["session_id": issued])).value
    }
    let recorder = try bench.recorder()
    try await send(recorder, "11111111-8b86-4011-b42d-00c04fc964ff")
    try recorder.verify()
    let player = try bench.player()
    try await send(player, "22222222-8b86-4011-b42d-00c04fc964ff")
    try player.verify()
  }

  @Test("A secret that is also a host, a word of a path or a name is replaced only as a secret")
  func wordsInOtherPlaces() async throws {
    let bench = try RecordingBench { _ in .json(#"{"password": "password", "customers": "a"}"#) }
    let (_, played) = try await bench.recordAndPlay { api in
      _ = try await api.post(endpoint: "customers", body: .json(["password": "customers"])).value
      return try await api.get(endpoint: "customers").value
    }
    let text = try bench.text
    #expect(text.contains("/customers"))
    let answer = String(decoding: played.data, as: UTF8.self)
    #expect(answer.contains(#""password": "secret-"#))
    #expect(answer.contains(#""customers": "a""#))
  }

  @Test("The halves of Basic credentials are hidden in other places, and so are escaped spellings")
  func spellings() async throws {
    let key = "-----BEGIN KEY-----\ncanary \"key\" & more\n-----END KEY-----"
    let bench = try RecordingBench { _ in
      .json(#"{"note": "ada-canary-user has ada-canary-word"}"#)
    }
    _ = try await bench.recordAndPlay { api in
      _ = try await api.post(endpoint: "keys", body: .json(["private_key": key, "copy": key])).value
      _ = try await api.post(
        endpoint: "mail", body: .data(Data("of \(JSONMask.quoted(key))".utf8))
      ).value
      var request = URLRequest(url: try bench.url("/a"))
      let credentials = Data("ada-canary-user:ada-canary-word".utf8).base64EncodedString()
      request.setValue("Basic \(credentials)", forHTTPHeaderField: "Authorization")
      return try await api.transport.response(for: request).value.statusCode
    }
    #expect(try !bench.text.contains("canary"))
  }

  @Test("A name that only contains the name of a secret keeps its value")
  func otherWords() async throws {
    let bench = try RecordingBench { _ in
      .json(
        #"{"secretary": "Ann", "sessionStart": "monday", "sessions": [{"day": "friday"}], "status_code": "ok"}"#
      )
    }
    let (recorded, played) = try await bench.recordAndPlay { api in
      try await api.get(endpoint: "a").value.data
    }
    #expect(recorded == played)
  }

  @Test("A secret number is hidden, and matches another number")
  func numbers() async throws {
    let bench = try RecordingBench { _ in MockResponse(status: 204) }
    let recorder = try bench.recorder()
    _ = try await bench.api(recorder).post(endpoint: "a", body: .json(["pin": Self.pin])).value
    try recorder.verify()
    #expect(try !bench.text.contains("\(Self.pin)"))
    let player = try bench.player()
    _ = try await bench.api(player).post(endpoint: "a", body: .json(["pin": 9876])).value
    try player.verify()
  }
}
