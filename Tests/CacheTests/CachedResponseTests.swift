import Foundation
import Testing

@testable import RESTKit

@Suite("A response from the cache")
struct CachedResponseTests {
  @Test("§4: the response has its current Age, and all other fields unchanged")
  func age() throws {
    var bench = RuleBench()
    try bench.keep([
      "Cache-Control": "max-age=600", "Date": bench.date(), "Age": "30", "X": "1", "x": "2",
      "Expires": bench.date(600),
    ])
    let date = bench.date()
    let expires = bench.date(600)
    bench.now += 3.5
    let headers = try bench.answer().head.headers
    #expect(
      headers == [
        "Cache-Control": "max-age=600", "Date": date, "Age": "33", "X": "1", "x": "2",
        "Expires": expires,
      ])
  }

  @Test("§5.1: a missing Age is added, and an Age that is not a number is replaced")
  func newAge() throws {
    var bench = RuleBench()
    for headers: HTTPHeaders in [[:], ["Age": "abc"], ["Age": "0, 7"], ["Age": "0", "age": "7"]] {
      let control: HTTPHeaders = ["Cache-Control": "max-age=600"]
      try bench.keep(HTTPHeaders(Array(control) + Array(headers)))
      var later = bench
      later.now += 3
      #expect(try later.answer().head.headers.values(for: "Age") == ["3"])
    }
  }

  @Test("RFC 9110 §9.3.2: HEAD gets the head of a stored GET")
  func head() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=600", "Content-Length": "10"], status: 404)
    let answer = try bench.answer(method: .head)
    #expect(answer.head.statusCode == 404)
    #expect(answer.head.headers["Content-Length"] == "10")
    #expect(answer.data.isEmpty)
  }

  @Test(
    "§4.3.2: a caller's If-None-Match is compared with the fresh response's tag, weakly",
    arguments: [
      (#""abc""#, #""abc""#, true), (#""abc""#, #"W/"abc""#, true), (#"W/"abc""#, #""abc""#, true),
      (#""abc""#, #""x", "abc", "y""#, true), (#""abc""#, #""x", "y""#, false),
      (#""abc""#, "*", true),
      (#""a,b""#, #""x", "a,b""#, true), ("abc", "abc", true), (#""abc""#, "abc", false),
      (#""a\""#, #""x", "a\", "y""#, true),
    ])
  func ifNoneMatch(etag: String, condition: String, isMatch: Bool) throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "ETag": etag, "X": "1"])
    let answer = try bench.answer(["If-None-Match": condition])
    #expect(answer.head.statusCode == (isMatch ? 304 : 200))
    #expect(answer.data.isEmpty == isMatch)
    #expect(answer.head.headers["ETag"] == etag)
    #expect(answer.head.headers.contains("X") == !isMatch)
  }

  @Test("§4.3.2: If-None-Match takes precedence over If-Modified-Since")
  func precedence() throws {
    var bench = RuleBench()
    try bench.keep([
      "Cache-Control": "max-age=60", "ETag": #""a""#, "Last-Modified": bench.date(-5000),
    ])
    let since = ["If-Modified-Since": bench.date(-1)]
    #expect(try bench.word(since) == "304")
    #expect(try bench.word(since.merging(["If-None-Match": #""b""#]) { $1 }) == "fresh")
    let old = ["If-Modified-Since": bench.date(-6000), "If-None-Match": #""a""#]
    #expect(try bench.word(old) == "304")
  }

  @Test("§4.3.2: If-Modified-Since is compared with Last-Modified, or with Date if there is none")
  func ifModifiedSince() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "Last-Modified": bench.date(-3000)])
    #expect(try bench.word(["If-Modified-Since": bench.date(-3000)]) == "304")
    #expect(try bench.word(["If-Modified-Since": bench.date(-2000)]) == "304")
    #expect(try bench.word(["If-Modified-Since": bench.date(-3001)]) == "fresh")
    #expect(try bench.word(["If-Modified-Since": "yesterday"]) == "fresh")
    try bench.keep(["Cache-Control": "max-age=60", "Date": bench.date(-10)])
    #expect(try bench.word(["If-Modified-Since": bench.date(-10)]) == "304")
    #expect(try bench.word(["If-Modified-Since": bench.date(-11)]) == "fresh")
  }

  @Test("§4.3.2: conditions do not apply to a response other than 200")
  func otherStatus() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "ETag": #""a""#], status: 404)
    #expect(try bench.answer(["If-None-Match": #""a""#]).head.statusCode == 404)
  }

  @Test(
    "§4.3.2: a condition for the server, or any condition without a fresh response, is sent",
    arguments: [
      "If-Match", "If-Unmodified-Since",
    ])
  func serverConditions(name: String) throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "ETag": #""a""#])
    #expect(try bench.word([name: #""a""#]) == "bypass")
    bench.now += 61
    #expect(try bench.word(["If-None-Match": #""a""#]) == "bypass")
    #expect(try bench.word(["If-Modified-Since": bench.date()]) == "bypass")
  }

  @Test(
    "§3.3: a range is taken from a whole fresh response, as a 206",
    arguments: [
      ("bytes=0-1", "01", "bytes 0-1/10"), ("bytes=1-", "123456789", "bytes 1-9/10"),
      ("bytes=-1", "9", "bytes 9-9/10"), ("bytes=-99", "0123456789", "bytes 0-9/10"),
      ("bytes=5-99", "56789", "bytes 5-9/10"), ("Bytes=9-9", "9", "bytes 9-9/10"),
    ])
  func ranges(range: String, body: String, contentRange: String) throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "Content-Length": "10", "A": "1"])
    let answer = try bench.answer(["Range": range])
    #expect(answer.head.statusCode == 206)
    #expect(answer.data == Data(body.utf8))
    #expect(answer.head.headers["Content-Range"] == contentRange)
    #expect(answer.head.headers["Content-Length"] == String(body.utf8.count))
    #expect(answer.head.headers["A"] == "1")
  }

  @Test(
    "§3.3: ranges that cannot be taken from the stored response go to the server",
    arguments: [
      "bytes=0-1,3-4", "bytes=10-", "bytes=5-2", "bytes=-0", "items=0-1", "bytes", "bytes=a-b",
      "bytes=-", "bytes=0-1x",
    ])
  func leftRanges(range: String) throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60"])
    #expect(try bench.word(["Range": range]) == "bypass")
    #expect(try bench.word(["Range": range], method: .head) == "fresh", "it is for GET alone")
  }

  @Test("§3.3: a range of a stale or of a decoded response goes to the server")
  func staleRanges() throws {
    var bench = RuleBench()
    let range = ["Range": "bytes=0-1"]
    #expect(try bench.word(range) == "bypass")
    try bench.keep(["Cache-Control": "max-age=60", "Content-Encoding": "gzip"])
    #expect(try bench.word(range) == "bypass")
    try bench.keep(["Cache-Control": "max-age=60, stale-while-revalidate=60"])
    bench.now += 60
    #expect(try bench.word(range) == "bypass")
  }

  @Test("§4.3.2: If-Range gives the range if the tag matches, or else the whole")
  func ifRange() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "ETag": #""a""#])
    #expect(try bench.word(["Range": "bytes=0-1", "If-Range": #""a""#]) == "206 0..<2")
    #expect(try bench.word(["Range": "bytes=0-1", "If-Range": #""b""#]) == "fresh")
    #expect(try bench.word(["Range": "bytes=0-1", "If-Range": #"W/"a""#]) == "fresh")
    #expect(try bench.word(["Range": "bytes=0-1", "If-Range": bench.date()]) == "bypass")
  }
}
