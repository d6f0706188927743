import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What stubs say when a test goes wrong")
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

  @Test("ST-04: The report has the three nearest stubs, the nearest first, and how each differs")
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
            + query key: <redacted>
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

  @Test("Where nothing differs, it says why the stub does not answer, and what to do")
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

  @Test("Where there are no stubs, it says that")
  func noStubs() {
    #expect(
      report { try StubTransport().text("/a") } == """
        No stub for GET https://api.example.com/v1/a.
        There are no stubs. Give the StubTransport one for this request.
        """)
  }

  @Test("ST-04: Differences are capped in their number and their length")
  func capped() throws {
    let expected = (0..<20).map { "\"k\($0)\": \"\(String(repeating: "a", count: 500))\"" }
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.put, urlString: base + "/a").jsonBody(
          "{\(expected.joined(separator: ","))}"))
    )
    let text = report { try stubs.text("/a", method: .put, body: Data("{}".utf8)) }
    #expect(text.contains("    … and 14 differences more\n"))
    #expect(text.count < 2_000)
    #expect(text.contains("aa…\n"))
  }

  @Test(
    "ST-04: A report holds no secret, whatever it stands in",
    arguments: ["Authorization", "Cookie", "X-Api-Key", "X-Auth-Token", "password"])
  func redacted(name: String) throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: .init(.post, urlString: base + "/a?\(name)=canary1").header(name, "canary2")
          .jsonBody("{\"\(name)\": \"canary3\"}")))
    var request = URLRequest(url: try #require(URL(string: base + "/a?\(name)=canary4&x=canary5")))
    request.httpMethod = "POST"
    request.setValue("canary6", forHTTPHeaderField: name)
    request.httpBody = Data("{\"\(name)\": \"canary7\", \"note\": \"canary8\"}".utf8)
    let subscriber = TestSubscriber<RESTResponse, any Error>()
    stubs.response(for: request).receive(subscriber: subscriber)
    // The stub's own URL is the test's own text.
    let text = "\(try #require(subscriber.failure))".replacing("?\(name)=canary1", with: "")
    #expect(!text.contains("canary"))
    #expect(
      text.contains("- header \(name): <redacted>\n    + header \(name): <redacted>, another"))
    #expect(
      text.contains("- body $.\(name): <redacted>\n    + body $.\(name): <redacted>, another"))
    #expect(text.contains("+ body $.note: …"))
  }

  @Test("ST-05: Stubs that nobody used are reported with their places")
  func unused() throws {
    let line = #line + 2
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"))
        .thenRespondWith(request: .get("/b"), statusCode: 404))
    try stubs.text("/a")
    let text = """
      Nobody asked for GET https://api.example.com/v1/b → 404 \
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

  @Test("Several things that went wrong are all told, in order")
  func several() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    for path in ["/x", "/y"] { _ = try? stubs.text(path) }
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    let failures = try #require(error).failures
    #expect(failures.map(\.kind) == [.unmatchedRequest, .unmatchedRequest, .unusedStub])
    let text = failures.map(\.description).joined(separator: "\n")
    #expect(error?.description == text)
    #expect(text.contains("No stub for GET \(base)/x.\n"))
    #expect(text.contains("No stub for GET \(base)/y.\n"))
    #expect(text.contains("Nobody asked for GET"))
  }

  @Test("Where everything went by the scripts, verify is silent, however often")
  func silent() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    try stubs.text("/a")
    for _ in 1...3 { try stubs.verify() }
    try StubTransport().verify()
  }

  @Test("An unmatched request of a verb reaches its subscriber as the stub's own error")
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
