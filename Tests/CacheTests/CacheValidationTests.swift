import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("Validation of stored responses")
struct CacheValidationTests {
  private func fields(_ validation: CacheValidation) -> HTTPHeaders {
    HTTPHeaders(validation.fields)
  }

  private func word(_ outcome: CacheValidation.Outcome) -> String {
    switch outcome {
    case .confirmed: "confirmed"
    case .unmatched: "unmatched"
    case .replaced: "replaced"
    case .unanswered: "unanswered"
    case .freshened: "freshened"
    case .failed: "failed"
    }
  }

  @Test("§4.3.1: the request has the unchanged entity tag, and the date")
  func question() throws {
    var bench = RuleBench()
    let modified = bench.date(-100)
    for etag in [#""abcdef""#, #"W/"abcdef""#, "abcdef"] {
      try bench.keep(["Cache-Control": "no-cache", "ETag": etag, "Last-Modified": modified])
      let expected: HTTPHeaders = ["If-None-Match": etag, "If-Modified-Since": modified]
      #expect(fields(try bench.validation()) == expected)
    }
    try bench.keep(["Cache-Control": "no-cache", "Last-Modified": modified])
    #expect(fields(try bench.validation()) == ["If-Modified-Since": modified])
    try bench.keep(["Cache-Control": "max-age=0", "Last-Modified": "yesterday"])
    #expect(try bench.validation().fields.isEmpty, "there is nothing to ask about")
  }

  @Test("§4.3.1: several matching responses are validated at once, by their tags")
  func severalTags() throws {
    var bench = RuleBench()
    for (vary, tag) in [("A", #""a""#), ("B", #""b""#), ("C", #""a""#), ("D", "bare")] {
      try bench.keep([
        "Cache-Control": "max-age=0", "Vary": vary, "ETag": tag, "Last-Modified": bench.date(-9),
      ])
    }
    try bench.keep(["Cache-Control": "max-age=0", "Vary": "E", "ETag": #""e""#], to: ["E": "1"])
    let asked = fields(try bench.validation())
    #expect(asked.map(\.name) == ["If-None-Match"])
    #expect(Set(EntityTag.list(asked[0].value)?.map(\.text) ?? []) == [#""a""#, #""b""#])
    guard case .confirmed(_, _, let keep) = try bench.outcome(["ETag": #""b""#]) else {
      Issue.record("not confirmed")
      return
    }
    #expect(keep.map { $0.head.headers["Vary"] } == ["B"])
  }

  @Test("§4.3.1: of many tags as many are sent as servers take, the best first")
  func longTags() throws {
    var bench = RuleBench()
    for number in 0..<300 {
      // The longest ones are left out, wherever they are among the others.
      let rest = number % 10 == 9 ? String(repeating: "x", count: 20_000) : ""
      try bench.keep(
        ["Cache-Control": "max-age=0", "Vary": "V\(number)", "ETag": "\"\(number)\(rest)\""])
      bench.now += 1
    }
    let sent = try #require(fields(try bench.validation()).first)
    #expect(sent.name == "If-None-Match")
    #expect(sent.value.hasPrefix(#""298", "297""#))
    #expect(!sent.value.contains("x"))
    #expect(sent.value.hasSuffix(#""0""#))
    for number in 300..<1_000 {
      try bench.keep(["Cache-Control": "max-age=0", "Vary": "V\(number)", "ETag": "\"\(number)\""])
      bench.now += 1
    }
    let short = try #require(fields(try bench.validation()).first)
    #expect(short.value.hasPrefix(#""999", "998""#))
    #expect(4_080...4_096 ~= short.value.utf8.count)
  }

  @Test(
    "§4.3.1: one tag that servers would refuse is not sent, and the date is",
    arguments: [4_094, 4_095])
  func longTag(length: Int) throws {
    for date in [nil, "Sun, 06 Nov 1994 08:49:37 GMT"] {
      var bench = RuleBench()
      let tag = "\"\(String(repeating: "x", count: length - 2))\""
      var headers: HTTPHeaders = ["Cache-Control": "max-age=0", "ETag": tag]
      if let date { headers.append(name: "Last-Modified", value: date) }
      try bench.keep(headers)
      bench.now += 1
      let names = fields(try bench.validation()).map(\.name)
      let expected =
        (length < 4_095 ? ["If-None-Match"] : [])
        + (date == nil ? [] : ["If-Modified-Since"])
      #expect(names == expected)
    }
  }

  @Test("Two entity tags that only look the same are two")
  func lookalikeTags() throws {
    let (one, other) = (EntityTag("\"\u{E9}\""), EntityTag("\"e\u{301}\""))
    #expect(!one.isStronglyEqual(to: other) && !one.isWeaklyEqual(to: other))
    #expect(one.isStronglyEqual(to: one))
    var bench = RuleBench()
    for (vary, tag) in [("A", one), ("B", other)] {
      try bench.keep(["Cache-Control": "max-age=0", "Vary": vary, "ETag": tag.text])
    }
    let asked = try #require(fields(try bench.validation()).first?.value)
    #expect(EntityTag.list(asked)?.count == 2)
  }

  @Test(
    "A 304 with many fields is read in time that grows with their number", .timeLimit(.minutes(10)))
  func manyFields() throws {
    func fields(_ value: String) -> HTTPHeaders {
      var fields: HTTPHeaders = ["ETag": #""1""#, "Cache-Control": "max-age=0"]
      for number in 0..<50_000 { fields.append(name: "X-\(number)", value: value) }
      return fields
    }
    var bench = RuleBench()
    try bench.keep(fields("old"))
    guard case .confirmed(let head, _, _) = try bench.outcome(fields("new")) else {
      Issue.record("not confirmed")
      return
    }
    #expect(head.headers.count { $0.value == "new" } == 50_000)
    #expect(!head.headers.contains { $0.value == "old" })
  }

  @Test(
    "§4.3.3: the validation's outcome is a confirmation, another response, or a failure",
    arguments: [
      (200, "replaced"), (404, "replaced"), (410, "replaced"), (301, "replaced"), (204, "replaced"),
      (401, "unanswered"), (403, "unanswered"), (407, "unanswered"), (408, "unanswered"),
      (421, "unanswered"), (425, "unanswered"), (429, "unanswered"), (431, "unanswered"),
      (430, "replaced"), (500, "failed"),
      (503, "failed"), (599, "failed"), (600, "replaced"), (499, "replaced"), (304, "confirmed"),
    ])
  func outcomes(status: Int, expected: String) throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "no-cache", "ETag": #""a""#])
    #expect(word(try bench.outcome(status: status)) == expected)
  }

  @Test("§4.3.4: a 304 with a strong validator applies to the responses that have it")
  func strong() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "no-cache", "ETag": #""a""#])
    #expect(word(try bench.outcome(["ETag": #""a""#])) == "confirmed")
    #expect(word(try bench.outcome(["ETag": #""b""#])) == "unmatched")
    try bench.keep(["Cache-Control": "no-cache", "ETag": #"W/"a""#])
    #expect(word(try bench.outcome(["ETag": #""a""#])) == "unmatched")
    for vary in ["A", "B"] {
      try bench.keep(["Cache-Control": "no-cache", "Vary": vary, "ETag": #""c""#])
    }
    guard case .confirmed(_, _, let keep) = try bench.outcome(["ETag": #""c""#]) else {
      Issue.record("not confirmed")
      return
    }
    #expect(keep.count == 2)
  }

  @Test("§4.3.4: a 304 with a weak validator applies to the latest response that has it")
  func weak() throws {
    var bench = RuleBench()
    for (vary, offset) in [("A", -20.0), ("B", -10), ("C", -30)] {
      try bench.keep([
        "Cache-Control": "no-cache", "Vary": vary, "ETag": #"W/"a""#, "Date": bench.date(offset),
      ])
    }
    guard case .confirmed(_, _, let keep) = try bench.outcome(["ETag": #"W/"a""#]) else {
      Issue.record("not confirmed")
      return
    }
    #expect(keep.map { $0.head.headers["Vary"] } == ["B"])
    #expect(word(try bench.outcome(["ETag": #"W/"b""#])) == "unmatched")
    let modified: HTTPHeaders = ["Last-Modified": bench.date()]
    #expect(word(try bench.outcome(modified)) == "unmatched")
  }

  @Test("§4.3.4: a 304 without a validator applies to the validated response")
  func withoutValidator() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "no-cache", "Last-Modified": bench.date(-9)])
    #expect(word(try bench.outcome()) == "confirmed")
    try bench.keep(["Cache-Control": "no-cache", "Vary": "A", "ETag": #""a""#])
    #expect(word(try bench.outcome()) == "unmatched", "of two nobody knows which")
  }

  @Test("§4.3.4: a 304 to a caller's own condition updates the responses that match its validator")
  func inPassing() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=1", "ETag": #""a""#])
    bench.now += 2
    func keep(_ headers: HTTPHeaders) throws -> Int {
      ResponseUpdate(
        try bench.head(headers, status: 304), to: try bench.request(), requestTime: bench.now,
        responseTime: bench.now
      ).confirmedInPassing(among: bench.kept).count
    }
    #expect(try keep(["ETag": #""a""#]) == 1)
    #expect(try keep(["ETag": #""b""#]) == 0)
    #expect(try keep([:]) == 0, "it is about what the caller has")
    try bench.keep(["Cache-Control": "max-age=1"])
    bench.now += 2
    #expect(try keep([:]) == 1, "§4.3.4: where neither has one")
  }

  @Test("§3.2: a 304 replaces each field that it contains, and adds the new ones")
  func update() throws {
    var bench = RuleBench()
    try bench.keep([
      "Cache-Control": "max-age=2", "ETag": #""a""#, "Test-Header": "A", "X": "1", "x": "2",
      "Content-Type": "text/plain", "Content-Foo": "A", "Kept": "1",
    ])
    bench.now += 3
    let head = try bench.confirm([
      "Cache-Control": "max-age=3600", "ETag": #""a""#, "test-header": "B", "X": "3", "Y": "4",
      "y": "5", "Content-Type": "text/html", "Content-Foo": "B",
    ])
    #expect(head.statusCode == 200)
    for headers in [head.headers, try bench.answer().head.headers] {
      #expect(headers.values(for: "Test-Header") == ["B"])
      #expect(headers.values(for: "X") == ["3"])
      #expect(headers.values(for: "Y") == ["4", "5"])
      #expect(headers["Content-Type"] == "text/html")
      #expect(headers["Content-Foo"] == "B")
      #expect(headers["Kept"] == "1")
    }
    #expect(try bench.word() == "fresh", "§4.2.3: its age begins anew")
  }

  @Test("§3.2: Content-Length and the fields for the coding stay; §3.1: so do hop-by-hop fields")
  func excepted() throws {
    var bench = RuleBench()
    let own: HTTPHeaders = [
      "Cache-Control": "no-cache", "ETag": #""a""#, "Date": bench.date(), "Content-Length": "10",
      "Content-Encoding": "gzip", "Content-Range": "a",
    ]
    try bench.keep(own)
    let head = try bench.confirm([
      "ETag": #""a""#, "Date": bench.date(), "Content-Length": "5", "Content-Encoding": "br",
      "Content-Range": "b", "Connection": "Named", "Named": "1", "Keep-Alive": "x",
      "Transfer-Encoding": "chunked", "Proxy-Authenticate": "x",
    ])
    #expect(Set(head.headers.map { "\($0)" }) == Set(own.map { "\($0)" }))
  }

  @Test("§4.2.3: the previous age and date do not outlive the confirmation")
  func ageAfter304() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "ETag": #""a""#, "Age": "100"])
    bench.now += 10
    let head = try bench.confirm(["ETag": #""a""#])
    #expect(!head.headers.contains("Age"))
    #expect(head.headers["Date"] == bench.date())
    #expect(try bench.word() == "fresh")
    bench.now += 60
    _ = try bench.confirm(["ETag": #""a""#, "Age": "50"])
    bench.now += 10
    #expect(try bench.word() == "validate", "another cache's age counts")
  }

  @Test("§5.2.2.4: fields that no-cache lists are taken from the confirmation, and not stored")
  func listedFields() throws {
    var bench = RuleBench()
    try bench.keep([
      "Cache-Control": #"max-age=1, no-cache="Set-Cookie""#, "ETag": #""a""#, "Set-Cookie": "a=1",
    ])
    bench.now += 2
    let head = try bench.confirm(["ETag": #""a""#, "Set-Cookie": "a=2"])
    #expect(head.headers["Set-Cookie"] == "a=2")
    #expect(!(try bench.answer().head.headers.contains("Set-Cookie")))
  }

  @Test(
    "§5.2.2.5: after a 304 with no-store the response is delivered, and no longer stored",
    arguments: [
      ("Cache-Control", "no-store"), ("Vary", "*"),
    ])
  func forbidden(name: String, value: String) throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "no-cache", "ETag": #""a""#])
    guard case .confirmed(_, _, let keep) = try bench.outcome([name: value, "ETag": #""a""#]) else {
      Issue.record("not confirmed")
      return
    }
    #expect(keep.isEmpty)
  }

  @Test("§4.1: a 304 with other fields in Vary is stored for the request's values of them")
  func newVary() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "no-cache", "ETag": #""a""#])
    guard
      case .confirmed(_, _, let keep) = try bench.outcome(
        ["ETag": #""a""#, "Vary": "A"], to: ["A": "1"])
    else {
      Issue.record("not confirmed")
      return
    }
    #expect(keep.first?.varying == ["a": "1"])
  }

  @Test("§4.3.5: a 200 to HEAD updates matching responses, and invalidates the others")
  func headFreshens() throws {
    let kept: HTTPHeaders = ["Cache-Control": "max-age=2", "ETag": #""a""#, "Content-Length": "10"]
    let cases: [(HTTPHeaders, Bool)] = [
      (["X": "2"], true), (["X": "2", "ETag": #""a""#, "Content-Length": "10"], true),
      (["X": "2", "ETag": #""b""#], false), (["X": "2", "Content-Length": "11"], false),
      (["X": "2", "Last-Modified": RuleBench().date()], false),
      (["X": "2", "Cache-Control": "no-store"], false),
    ]
    for (headers, isUpdated) in cases {
      var bench = RuleBench()
      try bench.keep(kept)
      bench.now += 3
      guard
        case .freshened(let keep) = try bench.outcome(headers, status: 200, method: .head)
      else {
        Issue.record("not freshened")
        return
      }
      #expect(keep.count == 1)
      #expect(keep[0].isInvalidated == !isUpdated)
      #expect(keep[0].head.headers.contains("X") == isUpdated)
      #expect(keep[0].data.count == 10)
      bench.replace(by: keep[0])
      #expect(try bench.word() == (isUpdated ? "fresh" : "validate"))
    }
  }

  @Test("§4.3.3: a 304 to HEAD confirms, and delivers no body")
  func headConfirms() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "no-cache", "ETag": #""a""#])
    guard
      case .confirmed(_, let data, let keep) = try bench.outcome(["ETag": #""a""#], method: .head)
    else {
      Issue.record("not confirmed")
      return
    }
    #expect(data.isEmpty)
    #expect(keep.first?.data.count == 10)
  }
}
