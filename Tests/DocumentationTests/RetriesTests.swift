import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("Docs/Retries.md has the current defaults")
struct RetriesTests {
  @Test("The table lists each default")
  func defaults() throws {
    let page = try Repository.text(of: "Docs/Retries.md")
    let policy = RetryPolicy()
    let budget = try #require(policy.budget)
    let defaults: [(String, String)] = [
      ("maxAttempts", "\(policy.maxAttempts)"),
      ("baseDelay", "\(policy.baseDelay)"),
      ("maxDelay", "\(policy.maxDelay)"),
      ("methods", policy.methods.map(\.rawValue).sorted().joined(separator: ", ")),
      ("throttledMethods", policy.throttledMethods.isEmpty ? "none" : "some"),
      ("statuses", policy.statuses.sorted().map(String.init).joined(separator: ", ")),
      (
        "statusesWithRetryAfter",
        policy.statusesWithRetryAfter.sorted().map(String.init).joined(separator: ", ")
      ),
      ("faults", policy.faults.map { "`\($0)`" }.sorted().joined(separator: ", ")),
      ("maxRetryAfter", "\(policy.maxRetryAfter)"),
      ("attemptTimeout", policy.attemptTimeout.map { "\($0)" } ?? "none"),
      ("totalTime", policy.totalTime.map { "\($0)" } ?? "none"),
      (
        "budget",
        "\(budget.burst) retries a host, one more for each \(budget.successesPerRetry) successes"
      ),
      ("idempotencyKey", policy.idempotencyKey == nil ? "none" : "made"),
      ("isTransient", policy.isTransient == nil ? "none" : "made"),
    ]
    for (name, value) in defaults {
      #expect(page.contains("| `\(name)` | \(value) |"), "\(name)")
    }
  }

  @Test("The policies of an API and of one publisher take effect")
  func policies() async throws {
    let report = StubRequest(.get, urlString: "https://stock.example.com/report")
    let stock = StubRequest(.get, urlString: "https://stock.example.com/stock")
    let stubs = StubTransport(
      StubAPIResponse(request: report, statusCode: 503).repeats(3)
        .thenRespondWith(request: report, result: .json("[]"))
        .thenRespondWith(request: stock, statusCode: 503)
        .thenRespondWith(request: stock, result: .json(#"{"tea": 7}"#)))
    let examples = RetriesExamples()
    let api = RetriesExamples.StockAPI(baseURL: "https://stock.example.com", transport: stubs)
    var patient = RetryPolicy()
    patient.maxAttempts = 4
    patient.maxDelay = .zero
    patient.totalTime = nil

    #expect(api.retry.maxAttempts == 3)
    #expect(try await examples.report(of: api, retrying: patient).value.statusCode == 200)
    #expect(try await examples.stock(of: api, retrying: patient).value == ["tea": 7])
    try stubs.verify()
  }

  @Test(
    "A wait in the body of a 429 is kept, by the policy and by the limiter",
    arguments: [
      (#"{"retry_after_ms": 2300}"#, 2_300), (#"{"parameters": {"retry_after": 5}}"#, 5_000),
      (#"{"retry_after_ms": -1}"#, 0), (#"{"retry_after_ms": 99999999999}"#, nil), ("late", 0),
    ] as [(String, Int?)])
  func bodyWait(body: String, milliseconds: Int?) throws {
    let scheduler = TestScheduler()
    let report = StubRequest(.get, urlString: "https://stock.example.com/report")
    let stubs = StubTransport(
      StubAPIResponse(request: report, statusCode: 429, result: .json(body))
        .thenRespondWith(request: report, result: .json("[]")),
      scheduler: scheduler)
    let api = RetriesExamples.StockAPI(baseURL: "https://stock.example.com", transport: stubs)
    var policy = RetriesExamples().patientPolicy()
    policy.scheduler = scheduler
    policy.baseDelay = .zero
    let call = TestSubscriber<RESTResponse, any Error>()
    RetriesExamples().report(of: api, retrying: policy).subscribe(call)

    scheduler.run()

    #expect(call.values.map(\.statusCode) == [milliseconds == nil ? 429 : 200])
    #expect(scheduler.now == .milliseconds(milliseconds ?? 0))
    withExtendedLifetime(RetriesExamples().limiter()) {}
  }

  @Test("A policy for a POST that was throttled repeats it after a 429, and after nothing else")
  func throttledPost() {
    for (status, outcome) in [(429, 200), (503, 503)] {
      VirtualTime.run { time in
        let request = StubRequest(.post, urlString: "https://api.example.com/v1/rooms")
        let stubs = StubTransport(
          StubAPIResponse(
            request: request, statusCode: status, result: .json(#"{"retry_after_ms": 2300}"#)),
          StubAPIResponse(request: request).optional())
        let api = RetriesExamples.RoomsAPI(
          baseURL: "https://api.example.com/v1", transport: stubs)
        let call = api.post(endpoint: "rooms").testSubscriber()
        time.run()
        #expect(call.values.map(\.statusCode) == [outcome])
      }
    }
  }
}
