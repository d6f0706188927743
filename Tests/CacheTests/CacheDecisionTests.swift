import Fixtures
import Foundation
import Testing

@testable import RESTKit

@Suite("A cache's decision about a request")
struct CacheDecisionTests {
  @Test("§4: a fresh response is reused, and a stale one is validated")
  func freshAndStale() throws {
    var bench = RuleBench()
    #expect(try bench.word() == "miss")
    try bench.keep(["Cache-Control": "max-age=10"])
    #expect(try bench.word() == "fresh")
    #expect(try bench.word(method: .head) == "fresh")
    bench.now += 10
    #expect(try bench.word() == "validate")
    #expect(try bench.word(method: .head) == "validate")
  }

  @Test(
    "§4: other methods go to the server",
    arguments: [
      HTTPMethod.post, .put, .patch, .delete, .options, HTTPMethod("M-SEARCH"),
    ])
  func methods(method: HTTPMethod) throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=10"])
    #expect(try bench.word(method: method) == "bypass")
    #expect(try bench.decision(method: method).status == .forwarded(.method))
  }

  @Test("§4: of two matching responses the one with the latest Date is used, fresh or not")
  func latest() throws {
    var bench = RuleBench()
    try bench.keep(
      ["Cache-Control": "max-age=900", "Date": bench.date(-50), "Vary": "A"], body: "old")
    try bench.keep(
      ["Cache-Control": "max-age=60", "Date": bench.date(-5), "Vary": "B"], body: "new")
    #expect(try bench.answer().data == Data("new".utf8))
    bench.now += 100
    #expect(try bench.word() == "validate")
  }

  @Test("§4.1: a response without Vary does not take precedence over one with it")
  func defaultResponse() throws {
    var bench = RuleBench()
    try bench.keep(
      ["Cache-Control": "max-age=900", "Vary": "Accept-Language", "Date": bench.date(-5)],
      body: "de", to: ["Accept-Language": "de"])
    try bench.keep(["Cache-Control": "max-age=900"], body: "default")
    #expect(try bench.answer(["Accept-Language": "de"]).data == Data("de".utf8))
    #expect(try bench.answer(["Accept-Language": "fr"]).data == Data("default".utf8))
  }

  @Test("§4.1: a response matches requests with equal values in the fields of its Vary")
  func vary() throws {
    var bench = RuleBench()
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "Foo, Bar", "vary": "baz"]
    try bench.keep(headers, body: "1", to: ["Foo": "1", "Bar": "abc"])
    #expect(try bench.word(["foo": "1", "bar": "abc", "Other": "2"]) == "fresh")
    #expect(try bench.word(["Foo": "2", "Bar": "abc"]) == "miss")
    #expect(try bench.word(["Foo": "1"]) == "miss", "a field is missing in the request")
    #expect(try bench.word(["Foo": "1", "Bar": "abc", "Baz": "x"]) == "miss", "or in the other")
    #expect(try bench.decision().status == .forwarded(.varyMiss))
    try bench.keep(headers, body: "2", to: ["Foo": "2", "Bar": "abc"])
    #expect(try bench.answer(["Foo": "1", "Bar": "abc"]).data == Data("1".utf8))
    #expect(try bench.answer(["Foo": "2", "Bar": "abc"]).data == Data("2".utf8))
  }

  @Test(
    "§4.1: values with the same meaning are equal",
    arguments: [
      ("Foo", "1, 2", " 1, 2 ", true), ("Foo", "1, 2", "2, 1", false), ("Foo", "a", "A", false),
      ("Foo", #""1, 2""#, #""1,2""#, false), ("Foo", "", "", true), ("Foo", "1,2", "1, 2", false),
      ("Foo", "a,,b", "a,b", false), ("Foo", "a,", "a", false),
      ("Accept-Language", "en, de", "de, en", false),
      ("Accept-Language", "en, de", "eN ,, De", true),
      ("Accept-Language", "en;q=0.5", "en; q=0.5", true), ("Accept-Language", "en", "de", false),
      ("Accept-Encoding", "gzip, br", "GZIP,br", true),
      ("Accept-Encoding", "gzip, br", "br, gzip", false),
      ("Accept", "a/b, c/d", "a/b,c/d", true), ("Accept", "a/b, c/d", "c/d, a/b", false),
    ])
  func normalized(name: String, one: String, other: String, isSame: Bool) throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "Vary": name], to: [name: one])
    #expect(try bench.word([name: other]) == (isSame ? "fresh" : "miss"))
  }

  @Test("An encoded body is for requests with the same Accept-Encoding, also without a Vary")
  func encoded() throws {
    var bench = RuleBench()
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Encoding": "zstd"]
    try bench.keep(headers, to: ["Accept-Encoding": "zstd"])
    #expect(try bench.word(["Accept-Encoding": "zstd"]) == "fresh")
    #expect(try bench.word() == "miss", "the transport would have decoded it")
    try bench.keep(headers, body: "decoded")
    #expect(try bench.answer().data == Data("decoded".utf8))
  }

  @Test("§5.2.2.4: a no-cache response is validated each time, even if fresh")
  func noCache() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=10000, No-CaChE", "ETag": #""a""#])
    #expect(try bench.word() == "validate")
    #expect(try bench.word(["Cache-Control": "max-stale"]) == "validate")
    #expect(try bench.validation().reason == .noCache)
  }

  @Test("§5.2.2.2: a must-revalidate response is reused while fresh, and never stale")
  func mustRevalidate() throws {
    var bench = RuleBench()
    try bench.keep([
      "Cache-Control": "max-age=10, must-revalidate, stale-while-revalidate=60", "ETag": #""a""#,
    ])
    #expect(try bench.word() == "fresh")
    bench.now += 11
    #expect(try bench.word() == "validate")
    #expect(try bench.word(["Cache-Control": "max-stale"]) == "validate")
  }

  @Test("§5.2.2.8: a private cache ignores proxy-revalidate")
  func proxyRevalidate() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=10, proxy-revalidate, s-maxage=2"])
    bench.now += 11
    #expect(try bench.word(["Cache-Control": "max-stale"]) == "max-stale")
  }

  @Test("§5.2.1.1: max-age of a request limits the age, and a value that is not a number is 0")
  func requestMaxAge() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=3600", "Age": "600"])
    #expect(try bench.word(["Cache-Control": "max-age=600"]) == "fresh")
    #expect(try bench.word(["Cache-Control": "max-age=599"]) == "validate")
    #expect(try bench.word(["Cache-Control": "max-age=0"]) == "validate")
    #expect(try bench.word(["Cache-Control": "max-age=x"]) == "validate")
    #expect(try bench.validation(["Cache-Control": "max-age=0"]).reason == .request)
  }

  @Test("§5.2.1.2: max-stale accepts a stale response, up to its number; without one, any")
  func maxStale() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=10"])
    bench.now += 20
    #expect(try bench.word(["Cache-Control": "max-stale=10"]) == "max-stale")
    #expect(try bench.word(["Cache-Control": "max-stale=9"]) == "validate")
    #expect(try bench.word(["Cache-Control": "max-stale"]) == "max-stale")
    #expect(try bench.word(["Cache-Control": "max-stale=x"]) == "validate")
    #expect(try bench.word(["Cache-Control": "max-stale, max-age=19"]) == "validate")
    #expect(try bench.word(["Cache-Control": "max-stale, no-cache"]) == "validate")
  }

  @Test("§5.2.1.3: min-fresh requires a response that stays fresh for that time")
  func minFresh() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=1500", "Age": "1000"])
    #expect(try bench.word(["Cache-Control": "min-fresh=500"]) == "fresh")
    #expect(try bench.word(["Cache-Control": "min-fresh=501"]) == "validate")
    bench.now += 600
    #expect(try bench.word(["Cache-Control": "min-fresh=1, max-stale"]) == "validate")
  }

  @Test("§5.2.1.4: no-cache of a request requires validation; §5.4: so does Pragma alone")
  func requestNoCache() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60, immutable"])
    #expect(try bench.word(["Cache-Control": "No-Cache"]) == "validate")
    #expect(try bench.word(["Pragma": "no-cache"]) == "validate")
    #expect(try bench.word(["Pragma": "foo"]) == "fresh")
    #expect(try bench.word(["Pragma": "no-cache", "Cache-Control": "foo"]) == "fresh")
    #expect(try bench.decision(["Pragma": "no-cache"]).status == .forwarded(.request))
  }

  @Test("§5.4: Pragma in a response is ignored")
  func responsePragma() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60", "Pragma": "no-cache"])
    #expect(try bench.word() == "fresh")
  }

  @Test("§5.2.1.5: no-store of a request bypasses the cache")
  func requestNoStore() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=60"])
    #expect(try bench.word(["Cache-Control": "no-store"]) == "bypass")
  }

  @Test("§5.2.1.7: only-if-cached gives a usable stored response, or a 504")
  func onlyIfCached() throws {
    var bench = RuleBench()
    let only = ["Cache-Control": "only-if-cached"]
    #expect(try bench.word(only) == "504")
    try bench.keep(["Cache-Control": "max-age=10, stale-while-revalidate=10"])
    #expect(try bench.word(only) == "fresh")
    #expect(try bench.word(only, method: .post) == "504")
    bench.now += 11
    #expect(try bench.word(only) == "504", "a refresh behind the response would send something")
    #expect(try bench.word(["Cache-Control": "only-if-cached, max-stale"]) == "max-stale")
    #expect(try bench.decision(only).status == .unsatisfied)
  }

  @Test("RFC 5861 §3: stale-while-revalidate gives the stale response for its time")
  func staleWhileRevalidate() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=10, stale-while-revalidate=5", "ETag": #""a""#])
    bench.now += 15
    #expect(try bench.word() == "while-revalidate")
    #expect(try bench.validation().fields.map(\.name) == ["If-None-Match"])
    #expect(try bench.word(["Cache-Control": "no-cache"]) == "validate")
    #expect(try bench.word(["Cache-Control": "max-age=100"]) == "validate", "the caller's wish")
    bench.now += 1
    #expect(try bench.word() == "validate")
  }

  @Test(
    "RFC 8246 §2: an immutable response needs no validation while fresh, and needs one when stale")
  func immutable() throws {
    var bench = RuleBench()
    try bench.keep(["Cache-Control": "max-age=10, immutable", "ETag": #""a""#])
    bench.now += 5
    #expect(try bench.word(["Cache-Control": "max-age=0"]) == "fresh", "a reload")
    #expect(try bench.word(["Cache-Control": "no-cache"]) == "validate", "one that is forced")
    bench.now += 5
    #expect(try bench.word(["Cache-Control": "max-age=0"]) == "validate")
  }

  @Test("§4.2.2: a heuristically fresh response is marked as such")
  func heuristic() throws {
    var bench = RuleBench()
    try bench.keep(["Last-Modified": bench.date(-1000)])
    #expect(try bench.decision().description == "hit, fresh by a heuristic")
    #expect(try bench.decision().status == .hit(ttl: 100, detail: "fresh by a heuristic"))
  }

  @Test("§4.4: an invalidated response is validated, and never reused stale")
  func invalidated() throws {
    var bench = RuleBench()
    var stored = try bench.keep(["Cache-Control": "max-age=60"])
    stored.isInvalidated = true
    bench.replace(by: stored)
    #expect(try bench.word() == "validate")
    #expect(try bench.word(["Cache-Control": "max-stale"]) == "validate")
  }

  @Test("§4: each decision has its text")
  func words() throws {
    var bench = RuleBench()
    #expect(try bench.decision().description == "miss: nothing stored")
    #expect(try bench.decision().status == .forwarded(.uriMiss))
    try bench.keep(["Cache-Control": "max-age=10", "Vary": "A"])
    #expect(try bench.decision().description == "hit")
    #expect(
      try bench.decision(["A": "1"]).description
        == "miss: stored for other values of the fields in Vary")
    let asked = try bench.decision(["Cache-Control": "no-cache"])
    #expect(asked.description == "validation: the request asks for it")
    #expect(asked.status == .forwarded(.request))
    bench.now += 12
    #expect(try bench.decision().description == "validation: the stored response is stale")
    let stale = try bench.decision(["Cache-Control": "max-stale"])
    #expect(stale.status == .hit(ttl: -2, detail: "stale hit: max-stale"))
  }
}
