import Fixtures
import Foundation
import RESTKitTesting
import Streams
import Testing

@testable import HTTPTransport
@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The guides' tables are compared with these values, too; here each stands as a number.
@Suite("The defaults are those that the documentation names")
struct DefaultsTests {
  @Test("A retry policy has three attempts and the documented causes")
  func retries() throws {
    let policy = RESTKit.RetryPolicy()
    #expect(policy.maxAttempts == 3)
    #expect(policy.baseDelay == .milliseconds(500))
    #expect(policy.maxDelay == .seconds(20))
    #expect(policy.maxRetryAfter == .seconds(30))
    #expect(policy.attemptTimeout == nil)
    #expect(policy.totalTime == .seconds(60))
    #expect(policy.idempotencyKey == nil)
    #expect(policy.statuses == [408, 425, 429, 500, 502, 503, 504])
    #expect(policy.statusesWithRetryAfter == [413])
    #expect(
      policy.methods.map(\.rawValue).sorted() == [
        "DELETE", "GET", "HEAD", "OPTIONS", "PUT", "QUERY", "TRACE",
      ])
    let budget = try #require(policy.budget)
    #expect(budget.burst == 10 && budget.successesPerRetry == 10)
    #expect(policy.backoff.delayLimit(forRetry: 0) == .milliseconds(500))
    #expect(policy.backoff.delayLimit(forRetry: 9) == .seconds(20))
  }

  @Test("A session refreshes half a minute before the end, and takes five refusals in a minute")
  func sessions() {
    let options = TokenSessionOptions()
    #expect(options.leeway == .seconds(30))
    #expect(options.refreshTimeout == .seconds(30))
    #expect(options.cooldown == .seconds(2))
    #expect(options.maximumCooldown == .seconds(300))
    #expect(options.refusalLimit == 5)
    #expect(options.refusalWindow == .seconds(60))
  }

  @Test(
    "A cache holds 32 MiB, with an eighth at most for one response",
    arguments: [(3, true), (4, false)])
  func cache(mebibytes: Int, isStored: Bool) async throws {
    let url = "https://api.example.com/v1/a"
    let transport = StubTransport(
      .get, url, headers: ["ETag": #""1""#], result: .success(Data(count: mebibytes << 20)))
    let response = try await TestAPI(transport: transport).get(endpoint: "a")
      .cached(in: HTTPCache()).value
    let detail = isStored ? nil : "not stored: larger than 4194304 bytes"
    #expect(
      response.cacheStatus
        == .forwarded(.uriMiss, isStored: isStored, ttl: nil, detail: detail))
  }

  @Test("A body that a transport opens has chunks of 64 KiB")
  func chunks() async throws {
    let opened = try RequestBody.data(Data(count: 64 << 10 + 1)).open()
    var sizes: [Int] = []
    for try await chunk in opened.chunks.values { sizes.append(chunk.count) }
    #expect(sizes == [64 << 10, 1])
  }

  #if os(Linux)
    @Test("The libcurl engine has six connections a host, keeps 64, and takes 30 s to connect")
    func engine() {
      let configuration = CurlConfiguration()
      #expect(configuration.maxConnectionsPerHost == 6)
      #expect(configuration.maxKeptConnections == 64)
      #expect(configuration.connectTimeout == .seconds(30))
    }
  #endif
}
