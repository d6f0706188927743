import Foundation
import RESTKit
import RESTKitReports
import Streams
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What stands in a recording in place of a secret", .timeLimit(.minutes(10)))
struct RecordingPlaceholderTests {
  @Test(
    "A placeholder keeps the format and the length of its secret",
    arguments: [
      ("6f9619ff-8b86-d011-b42d-00c04fc964ff", "5ec7e700-0000-4000-8000-000000000007"),
      ("6F9619FF-8B86-D011-B42D-00C04FC964FF", "5EC7E700-0000-4000-8000-000000000007"),
      ("d41d8cd98f00b204", "5ec7e70000000007"), ("D41D8CD98F00B204", "5EC7E70000000007"),
      ("2026-11-27", "2001-01-07"), ("2026-11-27T17:29:16Z", "2001-01-01T00:00:07Z"),
      ("2026-11-27T17:29:16.123+01:00", "2001-01-01T00:00:07.000+01:00"),
      ("2026-11-27 17:29:16", "2001-01-01 00:00:07"),
      ("Fri, 27 Nov 2026 17:29:16 GMT", "Mon, 01 Jan 2001 00:00:07 GMT"),
      ("1795800556", "1000000007"), ("1795800556123", "1000000000007"), ("4711", "1007"),
      ("471", "recorded-secret-7"), ("WDJB-MJHT", "SECRET-7A"), ("hunter22", "secret-7"),
      ("a", "recorded-secret-7"), ("sixteen-letters-", "secret-7AAAAAAAA"),
      ("seventeen-letters", "recorded-secret-7"), ("eighteen-letters--", "recorded-secret-7A"),
      ("READ_WRITE_ALL_OF_IT", "RECORDED-SECRET-7AAA"),
      ("c2VjcmV0IHNlY3JldCBzZWNyZXQ=", "cmVjb3JkZWQtc2VjcmV0LTcuLi4="),
      ("eyJhIjoxfQ.eyJiIjoyfQ.c2ln", "eyJhIjoxfQ.eyJiIjoyfQ.recorded-secret-7"),
      ("eyJhIjoxfQ.eyJiIjoyfQ.", "recorded-secret-7AAAAA"),
    ])
  func formats(secret: String, placeholder: String) {
    #expect(SecretPlaceholder.text(7, inPlaceOf: secret) == placeholder)
  }

  @Test("Dates of many secrets are dates, and differ")
  func manyDates() throws {
    let dates = (1...400).map { SecretPlaceholder.text($0, inPlaceOf: "2026-11-27") }
    #expect(Set(dates).count == 400)
    for date in dates { _ = try Date("\(date)T00:00:00Z", strategy: .iso8601) }
    let times = (1...400).map { SecretPlaceholder.text($0, inPlaceOf: "2026-11-27T00:00:00Z") }
    #expect(Set(times).count == 400)
  }

  @Test("A placeholder is no text that occurs elsewhere in the exchanges")
  func collision() async throws {
    let bench = try RecordingBench { _ in .json(#"{"pin": "4711", "year": "1001", "id": 31002}"#) }
    let (_, played) = try await bench.recordAndPlay { api in
      try await api.get(endpoint: "a").value.data
    }
    #expect(
      String(decoding: played, as: UTF8.self) == #"{"pin": "1003", "year": "1001", "id": 31002}"#)
  }

  // MARK: The list

  @Test("The file lists its placeholders, and only what it lists is one")
  func list() async throws {
    let bench = try RecordingBench { _ in MockResponse(status: 204) }
    func send(_ stubs: StubTransport, _ text: String) async throws {
      _ = try await bench.api(stubs).post(
        endpoint: "a", body: .json(["password": "hunter22", "note": text])
      ).value
    }
    let recorder = try bench.recorder()
    try await send(recorder, "like recorded-secret-9")
    try recorder.verify()
    let har = try HAR(contentsOf: bench.file)
    #expect(har[log: "_placeholders"] == ["secret-1"])
    // It is a text of the test, and must be sent so.
    await #expect(throws: StubError.self) { try await send(bench.player(), "like another") }
    let player = try bench.player()
    try await send(player, "like recorded-secret-9")
    try player.verify()
  }

  @Test("A recording without a list still plays, with what looks like a placeholder")
  func oldRecording() async throws {
    let bench = try RecordingBench { _ in MockResponse(status: 500) }
    let entry = { (path: String, authorization: String, body: String) in
      """
      {"request": {"method": "GET", "url": "https://h.example/\(path)", "headers": [
      {"name": "Authorization", "value": "Bearer \(authorization)"}]}, "response": {"status": 200,
      "headers": [], "content": {"text": "\(body)"}}}
      """
    }
    let uuid = "5ec7e700-0000-4000-8000-000000000001"
    let entries = [
      entry("a?key=\(uuid)", "recorded-secret-1", "recorded-secret-2"),
      entry("b", "recorded-secret-2", ""),
    ]
    try FileManager.default.createDirectory(at: bench.folder, withIntermediateDirectories: true)
    try Data(#"{"log": {"entries": [\#(entries.joined(separator: ","))]}}"#.utf8).write(
      to: bench.file)
    let player = try bench.player()
    func get(_ path: String, _ token: String) async throws -> String {
      var request = URLRequest(url: try #require(URL(string: "https://h.example/\(path)")))
      request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
      return String(decoding: try await player.response(for: request).value.data, as: UTF8.self)
    }
    #expect(try await get("a?key=any", "any") == "recorded-secret-2")
    await #expect(throws: StubError.self) { try await get("b", "any") }
    #expect(try await get("b", "recorded-secret-2") == "")
  }

  // MARK: Stand-ins

  @Test("A stand-in of the test's own is in the file, and plays as any other placeholder")
  func standIns() async throws {
    let bench = try RecordingBench { request in
      .json(#"{"access": "READ", "iban": "GB33BUKB20201555555555", "mail": "\#(request.index)"}"#)
    }
    let asked = Lock<[String]>([])
    let recorder = try StubTransport.record(
      to: bench.file.path, mode: .always, secrets: ["iban", "sent", "empty"],
      standIn: { secret in
        asked.withLock { $0.append("\(secret)") }
        return switch secret.name {
        case "access": secret.value
        case "iban": "DE02 1203 0000 0000 2020 51"
        case "sent": "a+b/\(secret.number)=\"&"
        case "empty": ""
        default: nil
        }
      })
    func get(_ stubs: StubTransport, _ sent: String) async throws -> [String: String] {
      let items: QueryItems = [
        URLQueryItem(name: "sent", value: sent), URLQueryItem(name: "empty", value: "x"),
      ]
      let response = try await bench.api(stubs).get(endpoint: "a", query: items).value
      let answer = try JSONDecoder().decode([String: String].self, from: response.data)
      let iban = try #require(answer["iban"])
      _ = try await bench.api(stubs).post(
        endpoint: "b", body: .form([URLQueryItem(name: "iban", value: iban)])
      ).value
      return answer
    }
    _ = try await get(recorder, "canary & more")
    try recorder.verify()
    #expect(
      asked.withLock { $0 }.sorted()
        == ["secret 1, sent", "secret 2, empty", "secret 3, access", "secret 4, iban"])
    let text = try bench.text
    #expect(!text.contains("canary") && !text.contains("GB33"))
    #expect(
      try HAR(contentsOf: bench.file)[log: "_placeholders"]
        == ["a+b/1=\"&", "recorded-secret-2", "DE02 1203 0000 0000 2020 51"])

    let player = try bench.player(secrets: ["iban", "sent", "empty"])
    let played = try await get(player, "another & \"1\"")
    try player.verify()
    #expect(played["access"] == "READ")
    #expect(played["iban"] == "DE02 1203 0000 0000 2020 51")
  }

  @Test("No text of a secret for a stand-in tells it")
  func texts() {
    let secret = RecordedSecret(name: "password", value: "canary", number: 3)
    var dumped = ""
    dump(secret, to: &dumped)
    for text in ["\(secret)", String(reflecting: secret), dumped] {
      #expect(text.contains("password") && !text.contains("canary"))
    }
  }

  // MARK: Echoes

  @Test("What a test sends in place of a secret comes back in each form, with its escapes")
  func echoes() async throws {
    let types = [
      "/json": "application/json", "/html": "text/html", "/text": "text/plain",
      "/form": "text/plain",
    ]
    let bench = try RecordingBench { request in
      let sent = URLComponents(string: "?\(request.query ?? "")")?.queryItems?.first?.value ?? ""
      let encoded = sent.inFields
      let body =
        switch request.path {
        case "/json": #"{"echo": \#(JSONMask.quoted(sent)), "url": "https://h/?a=\#(encoded)"}"#
        case "/html": "<p>\(sent.inMarkup)</p>"
        case "/form": "a=\(encoded)&b=1"
        default: "it is \(sent)."
        }
      return MockResponse(
        status: 200,
        headers: [
          ("Content-Type", types[request.path] ?? ""), ("X-Echo", sent),
          ("Location", "/next?a=\(encoded)&b=2"), ("Content-Length", "\(body.utf8.count)"),
        ], body: Data(body.utf8))
    }
    func get(_ stubs: StubTransport, _ path: String, _ token: String) async throws -> RESTResponse {
      let items: QueryItems = [URLQueryItem(name: "token", value: token)]
      return try await bench.api(stubs).get(endpoint: path, query: items).value
    }
    let recorder = try bench.recorder()
    for path in types.keys { _ = try await get(recorder, path, #"canary "<&one>""#) }
    try recorder.verify()
    #expect(try !bench.text.contains("canary"))
    let player = try bench.player()
    let other = #"another "<&2>""#
    for path in types.keys.sorted() {
      let response = try await get(player, path, other)
      let body = String(decoding: response.data, as: UTF8.self)
      let encoded = other.inFields
      switch path {
      case "/json":
        #expect(body == #"{"echo": \#(JSONMask.quoted(other)), "url": "https://h/?a=\#(encoded)"}"#)
      case "/html": #expect(body == "<p>\(other.inMarkup)</p>")
      case "/form": #expect(body == "a=\(encoded)&b=1")
      default: #expect(body == "it is \(other).")
      }
      #expect(response.headers["X-Echo"] == other)
      #expect(response.headers["Location"] == "/next?a=\(encoded)&b=2")
      #expect(response.headers["Content-Length"] == "\(response.data.count)")
    }
    try player.verify()
  }

  @Test("A state that is no sign-in's is part of the request")
  func otherState() async throws {
    let bench = try RecordingBench { _ in .json(#"{"state": "open"}"#) }
    let recorder = try bench.recorder()
    func get(_ stubs: StubTransport, _ state: String) async throws -> Int {
      let items: QueryItems = [URLQueryItem(name: "state", value: state)]
      return try await bench.api(stubs).get(endpoint: "issues", query: items).value.statusCode
    }
    _ = try await get(recorder, "open")
    try recorder.verify()
    #expect(try bench.text.contains("state=open"))
    await #expect(throws: StubError.self) { try await get(bench.player(), "closed") }
  }

  // MARK: Other places

  private static func byValue(_ text: String, secret: String) -> String {
    SecretValueMask([secret: "X"]).masked(text)
  }

  @Test(
    "A secret that is also a host, a word of a path or a name stays there",
    arguments: [
      ("customers", "https://h/customers/7"), ("customers", "/v1/customers"),
      ("customers", #"<a href="/customers">"#), ("customers", "<customers></customers>"),
      ("customers", #"name="customers""#), ("customers", "customers=1&a=b"),
      ("customers", #"{"customers": "#), ("customers", #""customers" : 1"#),
      ("customers", "https://customers.example/a"),
      ("customers", #"https:\/\/eu.customers.example"#),
      ("customers", "next=https%3A%2F%2Fcustomers.example%2Fa"),
      ("customers", "next=%2Fcustomers%2F7"), ("Order-Items", "/Order-Items?page=1"),
      ("amazing-zebra", "/amazing-zebra/a"), ("AZ-ZA-ZEBRA", "/AZ-ZA-ZEBRA/a"),
      ("Amazing.Zebra", "/Amazing.Zebra/a"),
      ("10.20.30.40", "http://10.20.30.40:80/a"), ("shop-7.example", "https://shop-7.example"),
    ])
  func kept(secret: String, text: String) {
    #expect(Self.byValue(text, secret: secret) == text)
  }

  @Test(
    "A secret is replaced in each other place",
    arguments: [
      ("customers", "a=customers", "a=X"), ("customers", "the customers.", "the X."),
      ("customers", "customers: 1", "X: 1"), ("customers", "/customersList", "/XList"),
      ("customers", #"["customers"]"#, #"["X"]"#),
      ("customers", "https://h/?customers", "https://h/?X"),
      ("aB3-xyz9", "https://h/aB3-xyz9/b", "https://h/X/b"),
      ("AbCdEfGh", "https://h/reset/AbCdEfGh", "https://h/reset/X"),
      ("abc12345", "app://abc12345", "app://X"),
      ("abc12345", "https://abc12345.h/", "https://X.h/"),
      ("abc12345", "abc12345=1", "X=1"), ("abc12345", #"{"abc12345": "#, #"{"X": "#),
      ("a/b c\"d8", #"a\/b c\"d8 a%2Fb%20c%22d8 a/b+c"d8 a/b c&quot;d8"#, "X X X X"),
      ("a/b c\"d8", "YS9iIGMiZDg=", "X"), ("seven77", "seven77", "seven77"),
    ])
  func replaced(secret: String, text: String, shown: String) {
    #expect(Self.byValue(text, secret: secret) == shown)
  }

  @Test("The host of a redirect stays, so that it plays again")
  func hostInRedirect() async throws {
    let bench = try RecordingBench { _ in
      MockResponse(
        status: 302, headers: [("Location", "https://shop.example/tenants?tenant=shop.example")],
        body: Data(#"{"link": "https://shop.example/a", "copy": "shop.example"}"#.utf8))
    }
    let (_, played) = try await bench.recordAndPlay(secrets: ["tenant"]) { api in
      let body = try JSONEncoder().encode(["tenant": "shop.example"])
      var request = URLRequest(url: try bench.url("/a"))
      request.httpMethod = "POST"
      request.httpBody = body
      return try await api.transport.response(for: request).value
    }
    let text = try bench.text
    #expect(text.contains("https://shop.example/tenants?tenant=secret-1AAAA"))
    #expect(text.contains(#"\"link\": \"https://shop.example/a\", \"copy\": \"secret-1AAAA\""#))
    #expect(played.headers["Location"] == "https://shop.example/tenants?tenant=shop.example")
  }

  @Test("A secret that is a part of a placeholder does not damage it")
  func insidePlaceholder() async throws {
    let bench = try RecordingBench { _ in
      .json(#"{"token": "recorded-secret-", "password": "recorded", "note": "was recorded"}"#)
    }
    let (_, played) = try await bench.recordAndPlay { api in
      try await api.get(endpoint: "a").value.data
    }
    #expect(
      String(decoding: played, as: UTF8.self)
        == #"{"token": "secret-1AAAAAAAA", "password": "secret-2", "note": "was secret-2"}"#)
  }

  // MARK: Each place

  @Test("A cookie without a name, a Content-Location and the text of a fault hold no secret")
  func rarePlaces() async throws {
    let bench = try RecordingBench { _ in
      MockResponse(
        status: 200, headers: [("Content-Location", "/a?token=canary-place&page=2")], body: Data())
    }
    let recorder = try bench.recorder()
    var request = URLRequest(url: try bench.url("/a"))
    request.setValue("canary-alone; a=canary-named", forHTTPHeaderField: "Cookie")
    _ = try await recorder.response(for: request).value
    try recorder.verify()
    #expect(try !bench.text.contains("canary") && bench.text.contains("page=2"))

    var exchange = RecordedExchange(
      request: request, start: Date(timeIntervalSince1970: 0), isInPieces: false, limit: 9)
    let fault = TransportError(
      kind: .timedOut, detail: "no answer to canary-named", mayHaveBeenProcessed: true)
    exchange.end = .failure(RESTError(fault, request: RequestSummary(request)))
    let har = HAR(recording: [exchange], names: RecordedNames())
    #expect(!String(decoding: har.data, as: UTF8.self).contains("canary"))
  }

  @Test("An empty value is not another secret")
  func emptyValue() async throws {
    let bench = try RecordingBench { _ in MockResponse(status: 204) }
    func login(_ stubs: StubTransport, _ password: String) async throws {
      _ = try await bench.api(stubs).post(
        endpoint: "login", body: .json(["password": password])
      ).value
    }
    let recorder = try bench.recorder()
    try await login(recorder, "one")
    try recorder.verify()
    await #expect(throws: StubError.self) { try await login(bench.player(), "") }
    try await login(bench.player(), "x")
  }

  @Test("Only the port that the test has sent takes the place of the recorded one")
  func ports() async throws {
    let bench = try RecordingBench { _ in
      MockResponse(
        status: 302,
        headers: [("Location", "http://127.0.0.1:5312/cb?to=http%3A%2F%2Flocalhost%3A5312")],
        body: Data("127.0.0.1:53124 127.0.0.2:5312 [::1]:5312".utf8))
    }
    func ask(_ stubs: StubTransport, port: Int) async throws -> RESTResponse {
      let items: QueryItems = [
        URLQueryItem(name: "redirect_uri", value: "http://127.0.0.1:\(port)/cb")
      ]
      var request = URLRequest(url: try bench.url("/authorize"))
      request.url = request.url?.appending(queryItems: Array(items))
      return try await stubs.response(for: request).value
    }
    let recorder = try bench.recorder()
    _ = try await ask(recorder, port: 5_312)
    try recorder.verify()
    let played = try await ask(bench.player(), port: 41_000)
    #expect(
      played.headers["Location"] == "http://127.0.0.1:41000/cb?to=http%3A%2F%2Flocalhost%3A41000")
    #expect(
      String(decoding: played.data, as: UTF8.self)
        == "127.0.0.1:53124 127.0.0.2:5312 [::1]:41000")
  }

  // MARK: Declared names

  private struct TenantAPI: RESTAPI {
    let baseURL: String
    let transport: any Transport
    let secretHeaders = ["X-Tenant"]
  }

  @Test("What an API declares is a secret in the recordings of its calls, and in their reports")
  func declared() async throws {
    let bench = try RecordingBench { _ in .json(#"{"id": 7, "copy": "canary-tenant"}"#) }
    func send(_ stubs: StubTransport, _ tenant: String, more: [String: Int] = [:]) async throws {
      let api = TenantAPI(baseURL: bench.server.baseURL, transport: stubs)
      _ = try await api.post(
        endpoint: "a", query: [URLQueryItem(name: "x-tenant", value: tenant)],
        body: .json(["x_tenant": 471_100_174].merging(more) { $1 })
      ) {
        $0.settingHeader("X-Tenant", to: tenant)
      }.value
    }
    let recorder = try bench.recorder(secrets: ["other"])
    try await send(recorder, "canary-tenant")
    try recorder.verify()
    let text = try bench.text
    #expect(!text.contains("canary") && !text.contains("471100174"))
    #expect(try HAR(contentsOf: bench.file)[log: "_secretNames"] == ["X-Tenant", "other"])
    let player = try bench.player()
    try await send(player, "another")
    try player.verify()
    let error = await #expect(throws: StubError.self) {
      try await send(bench.player(), "canary", more: ["a": 1])
    }
    #expect(error?.description.contains("canary") == false)
  }
}
