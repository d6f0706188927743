import Foundation
import Testing

@testable import RESTKit

@Suite("Freshness of a response")
struct FreshnessTests {
  private let bench = RuleBench()

  private func rules(
    _ headers: HTTPHeaders, status: Int = 200, delay: Double = 0
  ) throws -> ResponseRules {
    ResponseRules(
      try bench.head(headers, status: status), requestTime: bench.now - delay,
      responseTime: bench.now)
  }

  @Test("§4.2: a response is fresh while its lifetime is greater than its age")
  func fresh() throws {
    let rules = try rules(["Cache-Control": "max-age=10"])
    #expect(rules.freshness(now: bench.now + 9.9).isFresh)
    #expect(!rules.freshness(now: bench.now + 10).isFresh)
    #expect(rules.freshness(now: bench.now + 12).staleness == 2)
    #expect(rules.freshness(now: bench.now + 7.5).ttl == 2)
    #expect(rules.freshness(now: bench.now + 12).ttl == -2)
  }

  @Test("§4.2.1: max-age takes precedence over Expires, even a past or invalid one")
  func maxAgeFirst() throws {
    for expires in [bench.date(-7200), "0", bench.date(9000)] {
      let rules = try rules(
        ["Expires": expires, "Cache-Control": "max-age=60", "Date": bench.date()])
      #expect(rules.lifetime == 60)
      #expect(rules.kind == .explicit)
    }
    #expect(try rules(["Cache-Control": "max-age=0", "Expires": bench.date(3600)]).lifetime == 0)
  }

  @Test("§5.2.2.10: a private cache ignores s-maxage")
  func sharedMaxAge() throws {
    #expect(try rules(["Cache-Control": "s-maxage=3600, max-age=1"]).lifetime == 1)
    #expect(try rules(["Cache-Control": "s-maxage=3600"]).kind == .none)
  }

  @Test("§4.2.1: Expires counts from Date, or from the arrival if Date is missing or invalid")
  func expires() throws {
    let end = bench.date(100)
    #expect(try rules(["Expires": end, "Date": bench.date(-20)]).lifetime == 120)
    #expect(try rules(["Expires": end, "Date": bench.date(150)]).lifetime == 0)
    #expect(try rules(["Expires": end]).lifetime == 100)
    #expect(try rules(["Expires": end, "Date": "foo"]).lifetime == 100)
  }

  @Test(
    "§4.2: dates of all three forms are read, in letters of any case",
    arguments: [
      "Thu, 18 Aug 2050 02:01:18 GMT", "THU, 18 AUG 2050 02:01:18 gMT",
      "Thursday, 18-Aug-50 02:01:18 GMT", "Thu Aug  8 02:01:18 2050",
      "Tue, 19 Jan 2038 14:14:08 GMT", "Sun, 21 Nov 2286 04:46:39 GMT",
    ])
  func dateForms(text: String) throws {
    #expect(try rules(["Expires": text]).lifetime > 0)
  }

  @Test(
    "§5.3: an Expires that is not a date counts as past, and so does a zone other than GMT (§4.2)",
    arguments: [
      "0", "-1", "", "Thu, 18 Aug 2050 02:01:18 UTC", "Thu, 18 Aug 2050 02:01:18 AEST",
      "Thu, 18 Aug 50 02:01:18 GMT", "Thu 18 Aug 2050 02:01:18 GMT",
      "Thu, 18  Aug  2050 02:01:18 GMT", "Thu, 18-Aug-2050 02:01:18 GMT",
      "Thu, 18 Aug 2050 02.01.18 GMT", "Thu, 18 Aug 2050 2:01:18 GMT",
    ])
  func invalidExpires(text: String) throws {
    let rules = try rules(["Expires": text, "Last-Modified": bench.date(-86_400)])
    #expect(rules.lifetime == 0)
    #expect(rules.kind == .explicit)
  }

  @Test("§4.2.1: two different Expires are both ignored; two equal ones count as one")
  func twoExpires() throws {
    let first = bench.date(100)
    #expect(try rules(["Expires": first, "expires": bench.date(200)]).lifetime == 0)
    #expect(try rules(["Expires": first, "expires": first]).lifetime == 100)
  }

  @Test("§4.2.2: without an explicit time, a tenth of the time since modification, at most a day")
  func heuristic() throws {
    let rules = try rules(["Last-Modified": bench.date(-1000), "Date": bench.date()])
    #expect(rules.kind == .heuristic)
    #expect(rules.lifetime == 100)
    #expect(try self.rules(["Last-Modified": bench.date(-1e8)]).lifetime == 86_400)
    #expect(try self.rules(["Last-Modified": bench.date(1000)]).lifetime == 0)
    #expect(try self.rules(["Last-Modified": "yesterday"]).kind == .none)
    #expect(try self.rules([:]).kind == .none)
  }

  @Test("§4.2.2: an explicit time excludes heuristics, even if it is invalid")
  func noHeuristic() throws {
    let modified = bench.date(-86_400)
    for control in ["max-age=0", "max-age=x", "max-age=5"] {
      #expect(
        try rules(["Last-Modified": modified, "Cache-Control": control]).kind == .explicit)
    }
  }

  @Test(
    "§4.2.2: heuristics apply only to statuses that allow them by definition (RFC 9110 §15.1)",
    arguments: [
      (200, true), (203, true), (204, true), (300, true), (301, true), (308, true), (404, true),
      (405, true), (410, true), (414, true), (501, true), (201, false), (202, false),
      (302, false), (307, false), (403, false), (500, false), (502, false), (503, false),
      (504, false), (599, false),
    ])
  func heuristicStatus(status: Int, isFresh: Bool) throws {
    let headers: HTTPHeaders = ["Last-Modified": bench.date(-86_400)]
    #expect((try rules(headers, status: status).lifetime > 0) == isFresh)
    let isPublic: HTTPHeaders = [
      "Last-Modified": bench.date(-86_400), "Cache-Control": "public",
    ]
    #expect(try rules(isPublic, status: status).kind == .heuristic, "or what is marked public")
  }

  @Test(
    "§4.2.3: the age is the greater of apparent age and Age plus delay, plus the time in the cache")
  func age() throws {
    let slow = try rules(["Date": bench.date(-50), "Age": "30"], delay: 5)
    #expect(slow.freshness(now: bench.now + 7).age == 57)
    let old = try rules(["Date": bench.date(-10), "Age": "30"], delay: 5)
    #expect(old.freshness(now: bench.now + 7).age == 42)
    let fast = try rules(["Date": bench.date(100)])
    #expect(fast.freshness(now: bench.now + 7).age == 7)
  }

  @Test(
    "§5.1: of Age the first member counts, and a value that is not a number is ignored",
    arguments: [
      ("7200", 7200), ("abc", 0), ("-7200", 0), ("7200.0", 0), ("7200, 0", 7200), ("0, 7200", 0),
      ("7200;foo=bar", 0), ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
      ("2147483649", 2_147_483_648), ("99999999999999999999", 2_147_483_648), ("", 0), (" 5 ", 5),
    ])
  func ageValues(text: String, expected: Int64) throws {
    let freshness = try rules(["Age": text, "Date": bench.date()]).freshness(now: bench.now)
    #expect(freshness.age == Double(expected))
  }

  @Test("§5.1: of two lines of Age the first counts")
  func ageLines() throws {
    #expect(try rules(["Age": "7200", "age": "0"]).freshness(now: bench.now).age == 7200)
    #expect(try rules(["Age": "0", "age": "7200"]).freshness(now: bench.now).age == 0)
  }

  @Test("§1.2.2: the longest lifetime does not exceed the greatest age")
  func overflow() throws {
    let rules = try rules(["Cache-Control": "max-age=99999999999", "Age": "99999999999"])
    #expect(!rules.freshness(now: bench.now + 1e12).isFresh)
    let forever = try self.rules(["Expires": "Fri, 31 Dec 9999 23:59:59 GMT"])
    #expect(forever.freshness(now: bench.now).isFresh)
    #expect(!forever.freshness(now: bench.now + 1e12).isFresh)
    #expect(!forever.freshness(now: bench.now - 61).isFresh, "a clock that was wrong")
  }

  @Test(
    "§4.2.3: a clock that goes back a little ages nothing, and one that was wrong ages everything")
  func clockGoesBack() throws {
    let rules = try rules(["Cache-Control": "max-age=100"])
    #expect(rules.freshness(now: bench.now - 60).age == 0)
    #expect(!rules.freshness(now: bench.now - 61).isFresh)
  }
}
