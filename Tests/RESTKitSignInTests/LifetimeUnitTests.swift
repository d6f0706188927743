import Fixtures
import Foundation
import RESTKit
import RESTKitTesting
import Streams
import StreamsTesting
import Testing

@Suite("The unit of a token's lifetime", .leakFree)
struct LifetimeUnitTests {
  private typealias Names = JSONRefreshGrant.Names

  private let scheduler = TestScheduler()

  /// The lifetime that a grant reads, and what the log of the refresh says about it.
  private func lifetime(
    _ member: String, named name: String? = nil, unit: JSONRefreshGrant.LifetimeUnit? = nil
  ) throws -> (lifetime: Duration?, log: String) {
    let transport = ScriptedTransport(
      .status(200, body: Data(#"{"accessToken": "new", \#(member)}"#.utf8)), on: scheduler)
    let log = Lock("")
    let observed = ObservedTransport(transport, clock: scheduler)
    let logs = observed.callLogs.sink { text in log.withLock { $0 += "\(text)" } }
    defer { logs.cancel() }
    var names = Names(lifetimeUnit: unit)
    if let name { names.lifetime = name }
    let subscriber = TestSubscriber<TokenResponse, GrantError>()
    JSONRefreshGrant(
      baseURL: "https://id.example.com", names: names, transport: observed
    )
    .token(renewing: Credential(accessToken: "old", refreshToken: "r")).subscribe(subscriber)
    return (try #require(subscriber.values.first).lifetime, log.withLock { $0 })
  }

  @Test(
    "The name of the member says the unit",
    arguments: [
      ("expires_in_ms", 10.0), ("expiresInMs", 10), ("expires-in-ms", 10), ("ttl_millis", 10),
      ("lifetimeMilliseconds", 10), ("MS", 10), ("expiresIn", 10_000), ("ttl", 10_000),
      ("terms", 10_000), ("expires_in_seconds", 10_000), ("expires_in_sec", 10_000),
    ])
  func named(name: String, seconds: Double) throws {
    #expect(try lifetime("\"\(name)\": 10000", named: name).lifetime == .seconds(seconds))
    #expect(try lifetime("\"\(name)\": \"10000\"", named: name).lifetime == .seconds(seconds))
  }

  @Test("A given unit replaces that of a name that says none")
  func given() throws {
    #expect(
      try lifetime(#""ttl": 10000"#, named: "ttl", unit: .milliseconds).lifetime == .seconds(10))
    #expect(
      try lifetime(#""ttl": 10000"#, named: "ttl", unit: .seconds).lifetime == .seconds(10_000))
  }

  @Test("The names of a TokenResponse are in seconds, whatever the grant's name is")
  func fallback() throws {
    #expect(
      try lifetime(#""expires_in": 3600"#, named: "expires_in_ms").lifetime == .seconds(3_600))
    #expect(
      try lifetime(#""expires_in": 3600, "expires_in_ms": null"#, named: "expires_in_ms").lifetime
        == .seconds(3_600))
  }

  @Test("Thirty days in milliseconds are not cut, and ten years are the most")
  func long() throws {
    #expect(
      try lifetime(#""ms": 2592000000"#, named: "ms").lifetime == .seconds(2_592_000))
    #expect(try lifetime(#""ms": 1e300"#, named: "ms").lifetime == .seconds(315_360_000))
  }

  @Test(
    "A lifetime that contradicts its name, or is below a second, is not believed, and the log says so",
    arguments: [
      ("expires_in_ms", .seconds, 10_000, "lifetimeUnit is seconds, but the name expires_in_ms"),
      ("ttl_seconds", .milliseconds, 10_000, "is milliseconds, but the name ttl_seconds says sec"),
      ("expiresInMs", nil, 900, "expiresInMs in milliseconds would be less than a second"),
    ] as [(String, JSONRefreshGrant.LifetimeUnit?, Int, String)])
  func doubted(
    name: String, unit: JSONRefreshGrant.LifetimeUnit?, number: Int, reason: String
  ) throws {
    let read = try lifetime("\"\(name)\": \(number)", named: name, unit: unit)
    #expect(read.lifetime == nil)
    #expect(read.log.contains(reason), "\(read.log)")
  }

  @Test("A second in milliseconds is believed")
  func second() throws {
    #expect(try lifetime(#""expires_in_ms": 1000"#, named: "expires_in_ms").lifetime == .seconds(1))
  }

  @Test("A lifetime that is absent, or no number, is nil without a word")
  func absent() throws {
    for member in [#""a": 1"#, #""ms": 0"#, #""ms": -5"#, #""ms": "soon""#, #""ms": null"#] {
      let read = try lifetime(member, named: "ms")
      #expect(read.lifetime == nil)
      #expect(!read.log.contains("without its lifetime"))
    }
  }
}
