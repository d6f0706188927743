import Foundation
import RESTKit
import RESTKitTesting
import RESTKitTestingTraits
import Streams
import Testing

@Suite("Docs/Testing.md describes the current harness")
struct TestingTests {
  @Test("The table of faults lists all faults", arguments: StubFault.allCases)
  func faults(fault: StubFault) throws {
    let name = "\(fault)".prefix { $0 != "(" }
    let rows = try Repository.text(of: "Docs/Testing.md").split(separator: "\n")
      .filter { $0.hasPrefix("| `.") }
    #expect(rows.contains { $0.contains("`.\(name)`") || $0.contains("`.\(name)(") })
  }

  @Test("The table of ends lists all ends", arguments: BodyEnd.allCases)
  func ends(end: BodyEnd) throws {
    #expect(try Repository.text(of: "Docs/Testing.md").contains("| `.\(end)` |"))
  }

  @Test(
    "The files of stubs are those of the example",
    arguments: [("stub-file", "order"), ("stub-file-place", "place")])
  func files(output: String, file: String) throws {
    let folder = "Tests/DocumentationTests/Snippets/Testing/Fixtures/orders"
    let guide = try Guide(at: "Docs/Testing.md")
    // Named here for the check that each output is compared: output("stub-file"),
    // output("stub-file-place").
    let text = try Repository.text(of: "\(folder)/\(file).stub.json")
    #expect(try guide.output(output) == text.trimmingCharacters(in: .newlines))
  }

  @Test("The report of a wrong token is the library's")
  func wrongToken() async throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: "https://shop.example.com/v1/orders")
          .header("Authorization", "Bearer token-of-today-2"),
        fileID: "ShopTests/OrderTests.swift", line: 12))
    let error = await #expect(throws: StubError.self) {
      try await TestingGuide.ShopAPI(transport: stubs).get(endpoint: "orders") { request in
        request.settingHeader("Authorization", to: "Bearer token-of-today-1")
      }
      .value
    }
    #expect(try Guide(at: "Docs/Testing.md").output("wrong-token") == error?.description)
  }

  private static func placing(_ json: String) -> StubAPIResponse {
    StubAPIResponse(
      request: StubRequest(.post, urlString: "https://shop.example.com/v1/orders").jsonBody(
        containing: json), statusCode: 201,
      fileID: "ShopTests/OrderTests.swift", line: 15)
  }

  @Test("The report of another body is the library's")
  func otherBody() async throws {
    let stubs = StubTransport(Self.placing(#"{"lines": [{"sku": "A-1", "quantity": 2}]}"#))
    let api = TestingGuide.ShopAPI(transport: stubs)
    let body = Data(#"{"id": 7, "lines": [{"quantity": 3, "sku": "A-1"}]}"#.utf8)
    let error = await #expect(throws: StubError.self) {
      try await api.post(endpoint: "orders", body: .data(body)).value
    }
    #expect(try Guide(at: "Docs/Testing.md").output("body") == error?.description)
  }

  @Test("The report of an unused stub is the library's")
  func unused() throws {
    let stubs = StubTransport(Self.placing("{}"))
    let error = #expect(throws: StubError.self) { try stubs.verify() }
    #expect(try Guide(at: "Docs/Testing.md").output("unused") == error?.description)
  }

  @Test("The report of a call that waits on the real clock is the library's")
  func otherClock() throws {
    let stubs = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, urlString: "https://shop.example.com/v1/orders"),
        statusCode: 503, headers: ["Retry-After": "2"]))
    let policy = RetryPolicy(baseDelay: .zero, scheduler: .mainActor)
    var reports: [String] = []
    VirtualTime.run(report: { reports.append($0) }) { _ in
      TestingGuide.ShopAPI(transport: stubs).get(endpoint: "orders").retry(policy)
        .sink(receiveCompletion: { _ in }, receiveValue: { _ in }).cancel()
    }
    #expect(try [Guide(at: "Docs/Testing.md").output("other-clock")] == reports)
  }

  @Test("The report of a request that differs from its recording is the library's")
  func changedRequest() async throws {
    let stubs = try StubTransport.record(to: "Snippets/Testing/Fixtures/orders.har", mode: .never)
    let error = await #expect(throws: StubError.self) {
      try await TestingGuide.ShopAPI(transport: stubs).place(.init(id: 0, sku: "A-3")).value
    }
    #expect(try Guide(at: "Docs/Testing.md").output("recorded-mismatch") == error?.description)
  }

  @Test("The example records from a server once and plays without the server", .stubs)
  func recording() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).har")
    defer { try? FileManager.default.removeItem(at: file) }
    let server = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, path: "/v1/orders/7").header("Tenant", "one"),
        result: .json(#"{"id": 7, "sku": "A-1"}"#)))
    for tenant in ["one", "two"] {
      let stubs = try TestingGuide.recorded(to: file, over: server)
      let response = try await TestingGuide.ShopAPI(transport: stubs).get(endpoint: "orders/7") {
        $0.settingHeader("Tenant", to: tenant)
      }
      .value
      #expect(response.statusCode == 200)
      try stubs.verify()
    }
  }

  @Test("The example gives stand-ins that are valid, and they play", .stubs)
  func standIns() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).har")
    defer { try? FileManager.default.removeItem(at: file) }
    let body = #"{"iban": "GB33BUKB20201555555555", "access": "READ", "owner": "ada@example.com"}"#
    let server = StubTransport(
      StubAPIResponse(
        request: StubRequest(.get, path: "/v1/account"), result: .success(Data(body.utf8))))
    var answers: [[String: String]] = []
    for _ in 1...2 {
      let stubs = try TestingGuide.recordedPayment(to: file, over: server)
      let response = try await TestingGuide.ShopAPI(transport: stubs).get(endpoint: "account").value
      answers.append(try JSONDecoder().decode([String: String].self, from: response.data))
      try stubs.verify()
    }
    #expect(
      answers[1] == [
        "iban": "DE02120300000000202051", "access": "READ", "owner": "owner-3@example.com",
      ])
  }
}
