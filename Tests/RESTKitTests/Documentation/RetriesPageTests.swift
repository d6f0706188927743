import Foundation
import Testing

@testable import RESTKit

@Suite("Docs/Retries.md has the defaults that hold")
struct RetriesPageTests {
  @Test("Each default stands in the table")
  func defaults() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    let page = try String(
      contentsOf: folder.appending(path: "../../../Docs/Retries.md"), encoding: .utf8)
    let policy = RetryPolicy()
    let budget = try #require(policy.budget)
    let defaults: [(String, String)] = [
      ("maxAttempts", "\(policy.maxAttempts)"),
      ("baseDelay", "\(policy.baseDelay)"),
      ("maxDelay", "\(policy.maxDelay)"),
      ("methods", policy.methods.map(\.rawValue).sorted().joined(separator: ", ")),
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
    ]
    for (name, value) in defaults {
      #expect(page.contains("| `\(name)` | \(value) |"), "\(name)")
    }
  }
}
