import Foundation
import RESTKit
import RESTKitTesting
import Streams
import Testing

@Suite("What stubs say when a test goes wrong")
struct StubReportTests {
  private func report(_ body: () throws -> some Any) -> String {
    let error = #expect(throws: StubError.self) { _ = try body() }
    return error.map { "\($0)" } ?? ""
  }

  @Test("An unmatched request fails at once; the text names it and the stubs there were")
  func unmatched() throws {
    let line = #line + 2
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"), statusCode: 401)
        .thenRespondWith(request: .get("/b"), result: .failure(TestFailure()))
        .thenRespondWith(request: .get("/c?page=1")),
      StubAPIResponse(request: .init(.post, urlString: base + "/d"), statusCode: 201))
    try stubs.text("/a")
    let text = report { try stubs.text("/x?key=canary", method: .put) }
    #expect(
      text == """
        No stub for PUT https://api.example.com/v1/x.
        The stubs, in order:
          GET https://api.example.com/v1/a → 401 (RESTKitTestingTests/StubReportTests.swift:\(line)), used
          GET https://api.example.com/v1/b → failure (RESTKitTestingTests/StubReportTests.swift:\(line + 1)), next
          GET https://api.example.com/v1/c?page=1 → 200 (RESTKitTestingTests/StubReportTests.swift:\(line + 2)), after that
          POST https://api.example.com/v1/d → 201 (RESTKitTestingTests/StubReportTests.swift:\(line + 3)), next
        Add a stub for this request, or correct its method or URL.
        """)
    #expect(report { try stubs.verify() }.hasPrefix(text))
  }

  @Test("Where there are no stubs, it says that")
  func noStubs() {
    #expect(
      report { try StubTransport().text("/a") } == """
        No stub for GET https://api.example.com/v1/a.
        There are no stubs.
        Add a stub for this request, or correct its method or URL.
        """)
  }

  @Test("Stubs that nobody used are reported with their places")
  func unused() throws {
    let line = #line + 2
    let stubs = StubTransport(
      StubAPIResponse(request: .get("/a"))
        .thenRespondWith(request: .get("/b"), statusCode: 404))
    try stubs.text("/a")
    #expect(
      stubs.unusedStubs == [
        "GET \(base)/b → 404 (RESTKitTestingTests/StubReportTests.swift:\(line + 1))"
      ])
    #expect(
      report { try stubs.verify() } == """
        Nobody asked for:
          GET https://api.example.com/v1/b → 404 (RESTKitTestingTests/StubReportTests.swift:\(line + 1))
        Remove these stubs, or find out why the requests were not sent.
        """)
    try stubs.text("/b")
    try stubs.verify()
  }

  @Test("Several things that went wrong are all told, in order")
  func several() throws {
    let stubs = StubTransport(.text("1", for: "/a"))
    for path in ["/x", "/y"] { _ = try? stubs.text(path) }
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    guard case .several(let errors) = try #require(error) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(errors.count == 3)
    let text = errors.map(\.description).joined(separator: "\n")
    #expect("\(StubError.several(errors))" == text)
    #expect(text.contains("No stub for GET \(base)/x.\n"))
    #expect(text.contains("No stub for GET \(base)/y.\n"))
    #expect(text.contains("Nobody asked for:\n"))
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
    guard case .unmatchedRequest(let request, let stubs) = try #require(error) else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(request.description == "GET \(base)/a")
    #expect(stubs.isEmpty)
  }
}
