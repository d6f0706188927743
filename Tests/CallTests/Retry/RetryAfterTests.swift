import Fixtures
import Foundation
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("Retry-After")
struct RetryAfterTests {
  /// Sun, 06 Nov 1994 08:49:37 GMT.
  private static let now: Int64 = 784_111_777

  private func seconds(_ line: String) -> Int64? { RetryAfter.seconds(line, now: Self.now) }

  @Test(
    "RT-03: seconds are digits only, with optional blanks around them",
    arguments: [
      ("0", 0), ("1", 1), ("120", 120), ("007", 7), ("1 ", 1), (" 1", 1), ("\t1\t", 1),
      ("99999999999999999999", 1 << 31), ("2147483647", 2_147_483_647), ("2147483648", 1 << 31),
      ("2147483649", 1 << 31), ("+1", nil), ("-1", nil), ("1.5", nil), ("1e3", nil), ("0x1", nil),
      ("", nil), (" ", nil), ("1 2", nil), ("1s", nil), ("one", nil), ("١", nil), ("1\0", nil),
    ])
  func numbers(line: String, expected: Int64?) {
    #expect(seconds(line) == expected)
  }

  @Test(
    "RT-03: joined lines are a list, and the longest wait counts",
    arguments: [
      ("1, 2", 2), ("2,1", 2), ("1,", nil), (",1", nil), ("1, x", nil),
      ("5, Sun, 06 Nov 1994 08:49:47 GMT", 10), ("Sun, 06 Nov 1994 08:49:47 GMT, 30", 30),
    ])
  func lists(line: String, expected: Int64?) {
    #expect(seconds(line) == expected)
  }

  @Test(
    "RT-04: a date is a wait from now on, and a past date is no wait",
    arguments: [
      ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sunday, 06-Nov-94 08:50:37 GMT", 60),
      ("Sun Nov  6 08:50:37 1994", 60), ("Sun, 06 Nov 1994 08:49:37 GMT", 0),
      ("Sun, 06 Nov 1994 08:00:00 GMT", 0), ("Mon, 01 Jan 0001 00:00:00 GMT", 0),
      ("Fri, 31 Dec 9999 23:59:59 GMT", 1 << 31), ("Sun, 06 Nov 1994 08:50:60 GMT", 83),
      ("sun, 06 nov 1994 08:50:37 utc", 60), ("Sun, 06 Nov 1994 08:50:37 CET", nil),
    ])
  func dates(line: String, expected: Int64?) {
    #expect(seconds(line) == expected)
  }

  @Test(
    "RT-04: a date past 2038 is a wait of all its seconds, and of 68 years at most",
    arguments: [
      ("Tue, 19 Jan 2038 03:14:08 GMT", 2_147_483_648 - 1_795_219_200),
      ("Thu, 01 Jan 2071 00:00:00 GMT", 3_187_296_000 - 1_795_219_200),
      ("Thu, 01 Jan 2099 00:00:00 GMT", 1 << 31), ("Fri, 31 Dec 9999 23:59:59 GMT", 1 << 31),
    ] as [(String, Int64)])
  func late(date: String, wait: Int64) {
    let headers: HTTPHeaders = ["Retry-After": date]
    let now = Date(timeIntervalSince1970: 1_795_219_200)
    #expect(headers.retryAfter(now: now) == .seconds(wait))
    // The clocks of both sides may be past it, too.
    let later = Date(timeIntervalSince1970: 1_795_219_200 + 8e9)
    let own = CacheDate.text(later)
    #expect((["Retry-After": own, "Date": date] as HTTPHeaders).retryAfter(now: now) != nil)
    #expect((["Retry-After": own] as HTTPHeaders).retryAfter(now: later) == .zero)
  }

  @Test("RT-04: no date and no clock error give an impossible wait")
  func clocks() {
    for now in [Int64.min, -1, 0, Int64.max] {
      let wait = RetryAfter.seconds("Sun, 06 Nov 1994 08:50:37 GMT", now: now)
      #expect(wait.map { 0...RetryAfter.longest ~= $0 } == true)
    }
    // A clock from before 1970 shows 1970.
    for now in [Int64.min, -1, 0] {
      #expect(RetryAfter.seconds("Sun, 06 Nov 1994 08:50:37 GMT", now: now) == 784_111_837)
    }
  }

  @Test("RT-03: of several lines the longest wait counts, and invalid lines are ignored")
  func lines() {
    func wait(_ lines: String...) -> Duration? {
      HTTPHeaders(lines.map { ("retry-after", $0) }).retryAfter(now: .distantPast)
    }
    #expect(wait("1", "3") == .seconds(3))
    #expect(wait("3", "1") == .seconds(3))
    #expect(wait("-3", "1") == .seconds(1))
    #expect(wait("x") == nil)
    #expect(wait() == nil)
  }

  @Test("RT-04: a date is compared with the response's date, or with the clock if there is none")
  func serverTime() {
    let now = Date(timeIntervalSince1970: Double(Self.now) + 0.9)
    let later = "Sun, 06 Nov 1994 08:49:47 GMT"
    #expect(HTTPHeaders([("Retry-After", later)]).retryAfter(now: now) == .seconds(10))
    let skewed: HTTPHeaders = ["Retry-After": later, "Date": "Sun, 06 Nov 1994 08:49:45 GMT"]
    #expect(skewed.retryAfter(now: now) == .seconds(2))
    let broken: HTTPHeaders = ["Retry-After": later, "Date": "today"]
    #expect(broken.retryAfter(now: now) == .seconds(10))
    for instant in [Date.distantPast, .distantFuture, Date(timeIntervalSince1970: .infinity)] {
      #expect(HTTPHeaders([("Retry-After", later)]).retryAfter(now: instant) != nil)
    }
    let never = Date(timeIntervalSince1970: .infinity)
    #expect(
      HTTPHeaders([("Retry-After", later)]).retryAfter(now: never) == .seconds(784_111_787))
  }
}
