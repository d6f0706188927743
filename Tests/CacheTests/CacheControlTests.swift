import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Parsing of Cache-Control")
struct CacheControlTests {
  @Test(
    "§5.2: names may have any case, arguments are tokens or quoted, unknown directives are ignored",
    arguments: [
      ("max-age=60", 60), ("MaX-aGe=60", 60), (#"max-age="60""#, 60), ("max-age=0060", 60),
      ("foobar, max-age=60", 60), ("foo=bar,max-age=60", 60), (#"a="x, y", max-age=60"#, 60),
      (",, max-age=60 ,", 60), ("\tmax-age=60\t", 60),
      (#"extension="max-age=3600", max-age=1"#, 1), (#"max-age=1, extension="max-age=3600""#, 1),
      (#"extension="a\"b, max-age=9", max-age=60"#, 60), ("no-transform, max-age=60", 60),
    ])
  func maxAge(line: String, expected: Int64) {
    #expect(CacheControl(line: line).maxAge == expected)
  }

  @Test(
    "§1.2.2: a number greater than 2^31 counts as 2^31",
    arguments: [
      ("2147483647", 2_147_483_647), ("2147483648", 2_147_483_648),
      ("2147483649", 2_147_483_648), ("99999999999999999999999999", 2_147_483_648),
    ])
  func largest(text: String, expected: Int64) {
    #expect(CacheControl(line: "max-age=\(text)").maxAge == expected)
  }

  @Test(
    "§4.2.1: a max-age that is not a number counts as zero, and so as stale",
    arguments: [
      "max-age=abc", "max-age=-60", "max-age=60.5", "max-age=60a", "max-age='60'", "max-age=",
      "max-age", "max-age =60", "max-age= 60", #"max-age="60"#, "max-age=60 60", #"max-age=" 60""#,
      "max-age=1e3", "max-age=+60",
    ])
  func invalid(line: String) {
    #expect(CacheControl(line: line).maxAge == 0)
  }

  @Test("§4.2.1: of two values the first counts, on one line or on two")
  func duplicates() {
    #expect(CacheControl(line: "max-age=1, max-age=1800").maxAge == 1)
    let lines: HTTPHeaders = ["Cache-Control": "max-age=1800", "cache-control": "max-age=1"]
    #expect(CacheControl(lines).maxAge == 1800)
    #expect(CacheControl(line: "max-age=abc, max-age=60").maxAge == 0)
  }

  @Test("§5.2: a quote without an end ends with its line")
  func unended() {
    let lines: HTTPHeaders = ["Cache-Control": #"foo="bar"#, "CACHE-CONTROL": "no-store"]
    #expect(CacheControl(lines).flags == .noStore)
  }

  @Test("§5.2.2: directives without arguments are read, and one with an argument is as strict")
  func flags() {
    let all = "public, private, no-store, No-Cache, must-revalidate, must-understand, immutable"
    let flags: CacheControl.Flags = [
      .isPublic, .isPrivate, .noStore, .noCache, .mustRevalidate, .mustUnderstand, .immutable,
    ]
    #expect(CacheControl(line: all).flags == flags)
    #expect(
      CacheControl(line: "no-store=1, must-revalidate x").flags == [.noStore, .mustRevalidate])
    #expect(CacheControl(line: "public x, must-understand x, immutable x").flags == [])
    #expect(CacheControl(line: "only-if-cached").flags == .onlyIfCached)
  }

  @Test("§5.2.2.4: no-cache may list fields, quoted or as a token; without fields it counts whole")
  func noCacheFields() {
    let control = CacheControl(line: #"no-cache="Set-Cookie, X-A" , no-cache=b"#)
    #expect(control.noCacheFields == ["set-cookie", "x-a", "b"])
    #expect(control.flags == [])
    #expect(CacheControl(line: #"no-cache="""#).flags == .noCache)
    #expect(CacheControl(line: #"no-cache="a"#).flags == .noCache)
  }

  @Test("§5.2.1: numbers that ask for more are read strictly, and max-stale may have none")
  func requests() {
    #expect(CacheControl(line: "max-stale").maxStale == CacheControl.mostSeconds)
    #expect(CacheControl(line: "max-stale=5").maxStale == 5)
    #expect(CacheControl(line: "max-stale=x").maxStale == nil)
    #expect(CacheControl(line: "min-fresh=5").minFresh == 5)
    #expect(CacheControl(line: "min-fresh=x").minFresh == CacheControl.mostSeconds)
    let control = CacheControl(line: "stale-while-revalidate=7, stale-if-error=8")
    #expect(control.staleWhileRevalidate == 7)
    #expect(control.staleIfError == 8)
    #expect(CacheControl(line: "stale-while-revalidate=x, stale-if-error").staleIfError == nil)
  }

  @Test(
    "RFC 9110 §5.6.7: a date is written in the form in which it is read",
    arguments: [
      (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
      (1_709_251_199, "Thu, 29 Feb 2024 23:59:59 GMT"), (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
      (1_798_761_600, "Fri, 01 Jan 2027 00:00:00 GMT"),
      (253_402_300_799, "Fri, 31 Dec 9999 23:59:59 GMT"),
    ])
  func dates(seconds: Int64, text: String) {
    let date = CacheDate.text(.init(timeIntervalSince1970: Double(seconds)))
    #expect(date == text)
    #expect(CacheDate.seconds(text, now: .init(timeIntervalSince1970: 0)) == Double(seconds))
  }
}
