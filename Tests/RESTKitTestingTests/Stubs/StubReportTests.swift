import Foundation
import RESTKit
import Streams
import StreamsTesting
import Testing

@testable import RESTKitTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Reports of stubs when a test fails")
struct StubReportTests {
  private func report(_ body: () throws -> some Any) -> String {
    let error = #expect(throws: StubError.self) { _ = try body() }
    return error.map { "\($0)" } ?? ""
  }

  @Test("ST-03, ST-12: An unmatched request fails at once, and verify throws it again")
  func unmatched() throws {
    let stubs = StubTransport(.text("1", for: "/a").optional())
    let text = report { try stubs.text("/x") }
    #expect(text.hasPrefix("No stub for GET https://api.example.com/v1/x.\n"))
    #expect(report { try stubs.verify() } == text)
  }

  @Test("ST-04: The report shows the three nearest stubs in order, and how each differs")
  func nearest() throws {
    let line = #line + 2
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), statusCode: 401)
        .thenRespondWith(request: .get("/b"), result: .failure(TestFailure()))
        .thenRespondWith(request: .get("/b/c?page=1"), result: .fault(.stall)),
      StubAPIResponse(request: .init(.post, urlString: base + "/d").header("X-A", "1")))
    try stubs.text("/a")
    #expect(
      report { try stubs.text("/b/c?page=2&key=canary", method: .put) } == """
        No stub for PUT https://api.example.com/v1/b/c.
        The nearest of 4 stubs (- expected, + sent):
          GET https://api.example.com/v1/b → failure (RESTKitTestingTests/StubReportTests.swift:\(line + 1)), next
            - method: GET
            + method: PUT
            - path: /v1/b
            + path: /v1/b/c
          GET https://api.example.com/v1/b/c?page=1 → stall (RESTKitTestingTests/StubReportTests.swift:\(line + 2)), not yet its turn
            - method: GET
            + method: PUT
            - query page: 1
            + query page: 2
            - query key: (none)
            + query key: canary
          POST https://api.example.com/v1/d → 200 (RESTKitTestingTests/StubReportTests.swift:\(line + 3)), next
            - method: POST
            + method: PUT
            - path: /v1/d
            + path: /v1/b/c
            - header X-A: 1
            + header X-A: (none)
        Add a stub for this request, or correct what differs.
        """)
  }

  @Test("If nothing differs, the report says why the stub does not respond, and names a remedy")
  func nothingDiffers() throws {
    let line = #line + 2
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"))
        .thenRespondWith(request: .get("/b")))
    #expect(
      report { try stubs.text("/b") } == """
        No stub for GET https://api.example.com/v1/b.
        The stubs, the nearest first (- expected, + sent):
          GET https://api.example.com/v1/b → 200 (RESTKitTestingTests/StubReportTests.swift:\(line + 1)), not yet its turn
          GET https://api.example.com/v1/a → 200 (RESTKitTestingTests/StubReportTests.swift:\(line)), next
            - path: /v1/a
            + path: /v1/b
        Send the requests in the order of the script, or give the stub a script of its own.
        """)
    try stubs.text("/a")
    #expect(
      report { try stubs.text("/a") }.contains(
        "(RESTKitTestingTests/StubReportTests.swift:\(line)), used up\n"))
    try stubs.text("/b")
    #expect(
      report { try stubs.text("/b") }.hasSuffix(
        "Let the stub repeat with .repeats(…) or .always(), or send the request less often."))
  }

  @Test("Without stubs, the report says so")
  func noStubs() {
    #expect(
      report { try StubTransport().text("/a") } == """
        No stub for GET https://api.example.com/v1/a.
        There are no stubs. Give the StubTransport one for this request.
        """)
  }

  @Test("ST-04: Differences are limited in number and length")
  func capped() throws {
    let expected = (0..<20).map { "\"k\($0)\": \"\(String(repeating: "a", count: 500))\"" }
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.put, urlString: base + "/a").jsonBody(
          "{\(expected.joined(separator: ","))}"))
    )
    let text = report { try stubs.text("/a", method: .put, body: Data("{}".utf8)) }
    #expect(text.contains("    … and 14 more differences\n"))
    #expect(text.count < 2_000)
    #expect(text.contains("aa…\n"))
  }

  private static func request(_ name: String) throws -> URLRequest {
    var request = URLRequest(url: try #require(URL(string: base + "/a?\(name)=canary4&x=canary5")))
    request.httpMethod = "POST"
    request.setValue("canary6", forHTTPHeaderField: name)
    request.httpBody = Data("{\"\(name)\": \"canary7\", \"note\": \"note8\"}".utf8)
    return request
  }

  private static func script(_ name: String) -> StubAPIResponse {
    StubAPIResponse(
      request: .init(.post, urlString: base + "/a?\(name)=canary1").header(name, "canary2")
        .jsonBody("{\"\(name)\": \"canary3\"}"))
  }

  private static func report(of stubs: StubTransport, name: String) throws -> String {
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    stubs.response(for: try request(name)).receive(subscriber: subscriber)
    // The stub's own URL is the test's own text.
    return "\(try #require(subscriber.failure))".replacing("?\(name)=canary1", with: "")
  }

  private static let secrets = ["Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "password"]

  @Test(
    "ST-04: A report shows the sent and the expected values, including secrets", arguments: secrets)
  func values(name: String) throws {
    let text = try Self.report(of: StubTransport(Self.script(name)), name: name)
    #expect(text.contains("- query \(name): canary1\n    + query \(name): canary4\n"))
    #expect(text.contains("- query x: (none)\n    + query x: canary5\n"))
    #expect(text.contains("- header \(name): canary2\n    + header \(name): canary6\n"))
    #expect(
      text.contains("- body $.\(name): \"canary3\"\n    + body $.\(name): \"canary7\"\n"))
    #expect(text.contains("- body $.note: (none)\n    + body $.note: \"note8\"\n"))
  }

  @Test("A report of a transport that hides secrets holds none, in any place", arguments: secrets)
  func redacted(name: String) throws {
    let stubs = StubTransport(Self.script(name), hidesSecrets: true)
    let text = try Self.report(of: stubs, name: name).replacing("x: canary5", with: "")
    #expect(!text.contains("canary"))
    #expect(
      text.contains("- header \(name): <redacted>\n    + header \(name): <redacted>, another"))
    #expect(
      text.contains("- body $.\(name): <redacted>\n    + body $.\(name): <redacted>, another"))
    #expect(text.contains("+ body $.note: \"note8\""))
  }

  @Test(
    "A report hides each secret of the one list, and those inside of a value",
    arguments: [
      "header Api-Key", "header X-Access-Token", "query client_key", "form passcode",
      "form code_verifier", "body $.login[0].refresh", "part 1 password", "query next", "body",
    ])
  func oneList(part: String) {
    let lines = StubDifference(
      part, expected: "https://h/?token=canary", sent: "https://h/?token=canary2"
    ).lines(hidingSecrets: true)
    #expect(!lines.joined().contains("canary"))
    let word = StubDifference("query secretary", expected: "Ann", sent: "Bob")
    #expect(
      word.lines(hidingSecrets: true) == ["- query secretary: Ann", "+ query secretary: Bob"])
  }

  private func lines(_ expected: String?, _ sent: String?) -> [String] {
    StubDifference("header A", expected: expected, sent: sent).lines(hidingSecrets: false)
  }

  @Test("Between similar long values, a mark shows where they begin to differ")
  func mark() {
    #expect(
      lines("Bearer the-token-of-monday", "Bearer the-token-of-tuesday") == [
        "- header A: Bearer the-token-of-monday",
        "+ header A: Bearer the-token-of-tuesday",
        "                                ^",
      ])
    #expect(lines("Bearer a", "Bearer b") == ["- header A: Bearer a", "+ header A: Bearer b"])
    #expect(lines("a", nil) == ["- header A: a", "+ header A: (none)"])
  }

  @Test("A path with * has no mark, since its characters do not stand where those of the path do")
  func pattern() {
    let sent = URLRequest(url: URL(filePath: "/"))
    for (pattern, count) in [("/users/*/orders/of/today", 2), ("/users/42/orders/of/today", 3)] {
      var request = sent
      request.url = URL(string: "https://api.example.com/users/42/orders/of/monday")
      let differences = StubRequest(.get, path: pattern).differences(from: request)
      #expect(differences.count == 1)
      #expect(differences.flatMap { $0.lines(hidingSecrets: false) }.count == count)
    }
  }

  @Test("A value of a hundred characters is shown whole, and a longer one with a sign at its end")
  func longest() {
    let (whole, long) = (String(repeating: "a", count: 100), String(repeating: "b", count: 101))
    #expect(lines(whole, nil) == ["- header A: \(whole)", "+ header A: (none)"])
    #expect(lines(long, nil) == ["- header A: \(long.dropLast(2))…", "+ header A: (none)"])
    // Of short values, and of values without a common beginning, the difference needs no mark.
    let twenty = String(repeating: "s", count: 20)
    #expect(lines("\(twenty.dropLast())b", "\(twenty.dropLast())c").count == 2)
    #expect(lines(twenty + "b", twenty + "c").last == String(repeating: " ", count: 12 + 20) + "^")
    #expect(lines("b" + twenty, "c" + twenty).count == 2)
    // A difference behind 40 equal characters is the first of a value that is cut.
    let same = String(repeating: "s", count: 41)
    let marks = lines(same + long, same + whole)
    #expect(marks.first == "- header A: …\(same.dropFirst())\(long.dropLast(42))…")
  }

  @Test("Values that are too long are shown around their first difference")
  func shortened() {
    let same = String(repeating: "a", count: 500)
    let lines = lines(same + "b" + same, same + "c" + same)
    let common = "…" + String(repeating: "a", count: 40)
    #expect(lines[0].hasPrefix("- header A: \(common)baaa") && lines[0].hasSuffix("a…"))
    #expect(lines[1].hasPrefix("+ header A: \(common)caaa"))
    #expect(lines[2] == String(repeating: " ", count: 12 + 41) + "^")
    #expect(lines.allSatisfy { $0.count < 120 })
  }

  @Test("A control character does not break a line of the report")
  func controlCharacters() {
    #expect(lines("a\nb", nil) == ["- header A: a\\nb", "+ header A: (none)"])
  }

  @Test("ST-05: Unused stubs are reported with their places")
  func unused() throws {
    let line = #line + 2
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"))
        .thenRespondWith(request: .get("/b"), statusCode: 404))
    try stubs.text("/a")
    let text = """
      No request came for GET https://api.example.com/v1/b → 404 \
      (RESTKitTestingTests/StubReportTests.swift:\(line + 1)).
      Remove the stub, mark it .optional(), or find out why the request was not sent.
      """
    #expect(stubs.unusedStubs == [text])
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(error?.description == text)
    #expect(error?.failures.map(\.kind) == [.unusedStub])
    #expect(error?.failures.map(\.location.line) == [UInt(line + 1)])
    try stubs.text("/b")
    try stubs.verify()
  }

  @Test("Several failures are all reported, in order")
  func several() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    for path in ["/x", "/y"] { _ = try? stubs.text(path) }
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    let failures = try #require(error).failures
    #expect(failures.map(\.kind) == [.unmatchedRequest, .unmatchedRequest])
    let text = failures.map(\.description).joined(separator: "\n")
    #expect(error?.description == text)
    #expect(text.contains("No stub for GET \(base)/x.\n"))
    #expect(text.contains("No stub for GET \(base)/y.\n"))
    #expect(
      failures[0].description.contains(
        "Unused, perhaps because of this:\n  GET \(base)/a → 200 ("))
  }

  @Test("The same mismatch is reported once, with its count")
  func repeated() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    for _ in 1...3 { _ = try? stubs.text("/x") }
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(error?.failures.count == 1)
    #expect(error?.description.contains("\nThis happened 3 times.\n") == true)
  }

  @Test("verify() stays silent if the scripts were followed, however often it runs")
  func silent() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    try stubs.text("/a")
    for _ in 1...3 { try stubs.verify() }
    try StubTransport().verify()
  }

  @Test("An unmatched request of a verb fails its subscriber with the stub's error")
  func throughVerbs() async throws {
    struct API: RESTAPI {
      let baseURL = base
      let transport: any Transport
    }
    let error = await #expect(throws: StubError.self) {
      try await API(transport: StubTransport()).get(endpoint: "a").value
    }
    #expect(error?.failures.map(\.kind) == [.unmatchedRequest])
    #expect(error?.description.hasPrefix("No stub for GET \(base)/a.\n") == true)
  }
}
