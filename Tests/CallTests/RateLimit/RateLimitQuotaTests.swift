import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import RESTKit

@Suite("Reading a server's rate limit in its various forms")
struct RateLimitQuotaTests {
  private func quota(_ headers: HTTPHeaders) -> RateLimitQuota? {
    headers.rateLimitQuota(now: Date(timeIntervalSince1970: 1_700_000_000))
  }

  @Test("Of a list of limits, the one with the fewest requests left counts")
  func list() {
    #expect(
      quota(["RateLimit": #""default";r=50;t=30"#])
        == RateLimitQuota(remaining: 50, reset: .seconds(30)))
    #expect(
      quota(["RateLimit": #""minute";r=3;t=20, "day";r=900;t=8000"#])
        == RateLimitQuota(remaining: 3, reset: .seconds(20)))
    #expect(
      quota(["RateLimit": #""minute";r=0;t=20"#, "ratelimit": #""day";r=0;t=8000"#])
        == RateLimitQuota(remaining: 0, reset: .seconds(8_000)))
    #expect(
      quota(["RateLimit": #""a, b; r=1" ; pk=:cHM=: ; r=7"#])
        == RateLimitQuota(remaining: 7, reset: nil))
  }

  @Test("Of limits with equally few remaining requests, one without a time counts as the longest")
  func unknown() {
    for field in [#""a";r=0, "b";r=0;t=1"#, #""b";r=0;t=1, "a";r=0"#] {
      #expect(quota(["RateLimit": field]) == RateLimitQuota(remaining: 0, reset: nil))
      #expect(
        (["RateLimit": field] as HTTPHeaders).rateLimitQuota(
          now: Date(), unknownReset: .milliseconds(900))
          == RateLimitQuota(remaining: 0, reset: .seconds(1)))
    }
  }

  @Test("A limit without a time has its policy's time")
  func policy() {
    let policy = #""day";q=1000;w=86400, "minute";q=100;w=60"#
    #expect(
      quota(["RateLimit": #""minute";r=0"#, "RateLimit-Policy": policy])
        == RateLimitQuota(remaining: 0, reset: .seconds(60)))
    #expect(
      quota(["RateLimit": #""hour";r=0"#, "RateLimit-Policy": policy])
        == RateLimitQuota(remaining: 0, reset: nil))
  }

  @Test(
    "Many limits with many policies take no more steps than they have bytes",
    .timeLimit(.minutes(10)))
  func long() {
    let limits = (0..<20_000).map { "l\($0);r=\($0 + 1)" }.joined(separator: ",")
    let policies = (0..<20_000).map { "l\(19_999 - $0);w=\($0)" }.joined(separator: ",")
    #expect(
      quota(["RateLimit": limits, "RateLimit-Policy": policies])
        == RateLimitQuota(remaining: 1, reset: .seconds(19_999)))
  }

  @Test("The dictionary of version 7 is read")
  func dictionary() {
    #expect(
      quota(["RateLimit": "limit=100, remaining=50, reset=5", "RateLimit-Policy": "100;w=10"])
        == RateLimitQuota(remaining: 50, reset: .seconds(5)))
    #expect(quota(["RateLimit": "remaining=0"]) == RateLimitQuota(remaining: 0, reset: nil))
  }

  @Test(
    "Separate fields for each number are read, in the draft's and the usual names",
    arguments: ["RateLimit", "X-RateLimit", "x-ratelimit", "X-Rate-Limit"])
  func fields(prefix: String) {
    #expect(
      quota(["\(prefix)-Limit": "10", "\(prefix)-Remaining": "7", "\(prefix)-Reset": "12"])
        == RateLimitQuota(remaining: 7, reset: .seconds(12)))
    #expect(quota(["\(prefix)-Remaining": "7"]) == RateLimitQuota(remaining: 7, reset: nil))
    #expect(quota(["\(prefix)-Reset": "7"]) == nil)
  }

  @Test("A reset may be a time since 1970, by the server's clock")
  func epoch() {
    let here = RateLimitQuota(remaining: 0, reset: .seconds(90))
    #expect(quota(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000090"]) == here)
    #expect(quota(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000090999"]) == here)
    #expect(quota(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000089.5"]) == here)
    #expect(
      quota([
        "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "784111787",
        "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
      ]) == RateLimitQuota(remaining: 0, reset: .seconds(784_111_787)))
    #expect(
      quota([
        "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1700000010",
        "Date": "Tue, 14 Nov 2023 22:13:25 GMT",
      ]) == RateLimitQuota(remaining: 0, reset: .seconds(5)))
    #expect(
      quota(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1600000000"])
        == RateLimitQuota(remaining: 0, reset: .zero))
  }

  @Test("The smallest time since 1970 has ten digits, and a smaller number is a time from now")
  func smallestEpoch() {
    func reset(_ text: String) -> Duration? {
      quota(["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": text])?.reset
    }
    #expect(reset("999999999") == .seconds(999_999_999))
    #expect(reset("1000000000") == .zero)
    #expect(reset("99999999999") == .seconds(RetryAfter.longest))
    #expect(reset("100000000000") == .zero)
  }

  @Test(
    "A value that is not a number is ignored",
    arguments: ["", "-1", "many", "1e3", "٣", "1.x", "1 2", "+1"])
  func malformed(text: String) {
    #expect(quota(["X-RateLimit-Remaining": text]) == nil)
    #expect(quota(["RateLimit": "\"a\";r=\(text)"]) == nil)
    #expect(quota(["RateLimit": "remaining=\(text)"]) == nil)
    #expect(
      quota(["RateLimit-Remaining": "5", "RateLimit-Reset": text])
        == RateLimitQuota(remaining: 5, reset: nil))
  }

  @Test(
    "A fraction that is not zero rounds up, and blanks around a number do not count",
    arguments: [
      ("7.0", 7), ("7.00", 7), ("7.05", 8), ("7.5", 8), ("0.9", 1), (" 7", 7), ("7 \t", 7),
    ] as [(String, Int)])
  func roundedUp(text: String, number: Int) {
    let expected = RateLimitQuota(remaining: number, reset: .seconds(number))
    #expect(quota(["X-RateLimit-Remaining": text, "X-RateLimit-Reset": text]) == expected)
    #expect(quota(["RateLimit": "\"a\";r=\(text);t=\(text)"]) == expected)
    #expect(quota(["RateLimit": "remaining=\(text), reset=\(text)"]) == expected)
  }

  @Test("Numbers past 32 bits are read whole, and past 53 bits as the largest")
  func large() {
    let most: Int64 = 1 << 53
    func quota(_ number: String) -> [RateLimitQuota?] {
      [
        self.quota(["RateLimit": "\"a\";r=\(number);t=\(number)"]),
        self.quota(["RateLimit": "\"a\";r=\(number)", "RateLimit-Policy": "\"a\";w=\(number)"]),
        self.quota(["RateLimit": "remaining=\(number), reset=\(number)"]),
      ]
    }
    for (text, number) in [
      ("4294967296", 4_294_967_296), ("2147483648", 2_147_483_648), ("4294967295.5", 4_294_967_296),
      ("9007199254740992", most), ("9007199254740993", most), ("99999999999999999999", most),
    ] as [(String, Int64)] {
      let expected = RateLimitQuota(remaining: Int(clamping: number), reset: .seconds(number))
      #expect(quota(text) == [expected, expected, expected], "\(text)")
    }
  }

  @Test(
    "A reset past 2038 lasts until then, and one past all calendars 68 years",
    arguments: [
      ("2500000000", 800_000_000), ("2500000000999", 800_000_000), ("9007199254740992", 1 << 31),
      ("99999999999", 1 << 31), ("100000000000", 0),
    ] as [(String, Int64)])
  func late(reset: String, seconds: Int64) {
    #expect(
      quota(["X-RateLimit-Remaining": "4294967296", "X-RateLimit-Reset": reset])
        == RateLimitQuota(
          remaining: Int(clamping: 4_294_967_296 as Int64), reset: .seconds(seconds)))
  }

  @Test(
    "For any input, a reset is at most 68 years from a time since 1970",
    arguments: Fuzz.seeds)
  func fuzz(seed: UInt64) {
    let pieces = [
      "\"a\"", ";", "r=", "t=", "w=", "q=", "limit=", "remaining=", "reset=", ",", " ", "1", "0",
      "99999999999999999999", ".", "\\", "\"",
    ]
    Fuzz.run(seed, cases: 2_000) { generator, drawn in
      let headers: HTTPHeaders = [
        "RateLimit": generator.text(of: pieces, 0...12),
        "RateLimit-Policy": generator.text(of: pieces, 0...8),
        "X-RateLimit-Remaining": generator.text(of: pieces, 0...3),
        "X-RateLimit-Reset": generator.text(of: pieces, 0...3),
      ]
      if let quota = headers.rateLimitQuota(),
        quota.remaining < 0 || quota.reset.map({ $0 < .zero }) == true
      {
        drawn.fail("\(headers) is \(quota)")
      }
    }
  }
}
