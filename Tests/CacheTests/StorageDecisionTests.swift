import Foundation
import Testing

@testable import RESTKit

@Suite("Storage decisions of a private cache")
struct StorageDecisionTests {
  private let bench = RuleBench()

  private func isStored(_ decision: StorageDecision) -> Bool {
    if case .store = decision { true } else { false }
  }

  private func words(_ decision: StorageDecision) -> String {
    if case .refuse(let refusal) = decision { refusal.description } else { "stored" }
  }

  @Test(
    "§3: only responses to GET are stored",
    arguments: [
      HTTPMethod.head, .post, .put, .delete, .options, HTTPMethod("M-SEARCH"), HTTPMethod("get"),
    ])
  func method(method: HTTPMethod) throws {
    let decision = try bench.storage(["Cache-Control": "max-age=60"], method: method)
    #expect(words(decision) == "not stored: method \(method.rawValue)")
  }

  @Test(
    "§3: with an explicit lifetime a final status is stored, but 206, 304, 412, 416 and RFC 6585's",
    arguments: [
      (200, true), (203, true), (204, true), (299, true), (301, true), (302, true), (303, true),
      (307, true), (308, true), (400, true), (404, true), (410, true), (499, true), (500, true),
      (502, true), (503, true), (504, true), (599, true), (206, false), (304, false), (103, false),
    ])
  func status(status: Int, isStored expected: Bool) throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60"]
    #expect(isStored(try bench.storage(headers, status: status)) == expected)
    let dated: HTTPHeaders = ["Expires": bench.date(60), "Date": bench.date()]
    #expect(isStored(try bench.storage(dated, status: status)) == expected)
  }

  @Test(
    "§3: a refused condition or range is not stored, as it would answer requests without them",
    arguments: [(412, ["If-Match": #""a""#]), (416, ["Range": "bytes=100-"])])
  func partOfRequest(status: Int, fields: [String: String]) throws {
    let decision = try bench.storage(["Cache-Control": "max-age=60"], status: status, to: fields)
    #expect(words(decision) == "not stored: status \(status)")
  }

  @Test(
    "RFC 6585: 428, 429, 431 and 511 are never stored, even with an explicit lifetime",
    arguments: [428, 429, 431, 511])
  func additionalStatus(status: Int) throws {
    let decision = try bench.storage(
      ["Cache-Control": "public, max-age=60", "ETag": #""a""#], status: status)
    #expect(words(decision) == "not stored: status \(status)")
  }

  @Test(
    "§3: without a lifetime only responses cacheable by status, public or private are stored",
    arguments: [201, 202, 302, 403, 500, 502, 503, 504, 599])
  func statusWithoutFreshness(status: Int) throws {
    let headers: HTTPHeaders = ["Last-Modified": bench.date(-86_400), "ETag": #""a""#]
    #expect(
      words(try bench.storage(headers, status: status))
        == "not stored: status \(status) without a lifetime")
    for word in ["public", "private"] {
      var marked = headers
      marked.append(name: "Cache-Control", value: word)
      #expect(isStored(try bench.storage(marked, status: status)))
    }
    #expect(isStored(try bench.storage(headers, status: 404)))
  }

  @Test(
    "§5.2.2.5: no-store in the response forbids storage, in any case and combination",
    arguments: [
      "no-store", "No-StOrE", "max-age=10000, no-store", "public, no-store",
    ])
  func noStore(control: String) throws {
    let headers: HTTPHeaders = ["Cache-Control": control, "Expires": bench.date(10_000)]
    #expect(words(try bench.storage(headers)) == "not stored: no-store")
  }

  @Test("§5.2.1.5: no-store in the request forbids storage")
  func requestNoStore() throws {
    let decision = try bench.storage(
      ["Cache-Control": "max-age=60"], to: ["cache-control": "no-store"])
    #expect(words(decision) == "not stored: no-store in the request")
  }

  @Test(
    "§5.2.2.3: must-understand overrides no-store for a known status, and refuses an unknown one")
  func mustUnderstand() throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=3600, no-store, must-understand"]
    #expect(isStored(try bench.storage(headers)))
    let refused = try bench.storage(headers, status: 599)
    #expect(words(refused) == "not stored: must-understand, and status 599 is unknown")
    let open: HTTPHeaders = ["Cache-Control": "max-age=3600, must-understand"]
    #expect(!isStored(try bench.storage(open, status: 599)))
  }

  @Test("§5.2.2.7: private allows storage in this cache, with or without fields")
  func isPrivate() throws {
    let stored = try bench.storage(["Cache-Control": #"private="a", max-age=60"#, "a": "1"])
    guard case .store(let response) = stored else {
      Issue.record("\(stored)")
      return
    }
    #expect(response.head.headers["a"] == "1")
    #expect(isStored(try bench.storage(["Cache-Control": "private, max-age=60"])))
  }

  @Test("§3.5: a response to a request with Authorization is stored: the rule is for shared caches")
  func authorization() throws {
    let decision = try bench.storage(
      ["Cache-Control": "max-age=60"], to: ["Authorization": "Bearer x"])
    #expect(isStored(decision))
  }

  @Test(
    "§4.1: Vary: * is never stored, with the star at any place",
    arguments: [
      "*", "*, *", ", *", "*, Foo", "Foo, *", "foo,* ",
    ])
  func varyStar(vary: String) throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": vary]
    #expect(words(try bench.storage(headers)) == "not stored: Vary: *")
    let lines: HTTPHeaders = ["Cache-Control": "max-age=60", "Vary": "", "vary": vary]
    #expect(words(try bench.storage(lines)) == "not stored: Vary: *")
  }

  @Test("§3.3: a truncated response is not stored, nor one shorter than announced")
  func incomplete() throws {
    let headers: HTTPHeaders = ["Cache-Control": "max-age=60", "Content-Length": "11"]
    #expect(words(try bench.storage(headers)) == "not stored: incomplete")
    let cut = StorageDecision(
      try bench.request(), head: try bench.head(["Cache-Control": "max-age=60"]), data: Data(),
      isComplete: false, requestTime: bench.now, responseTime: bench.now)
    #expect(words(cut) == "not stored: incomplete")
    var decoded = headers
    decoded.append(name: "Content-Encoding", value: "gzip")
    #expect(isStored(try bench.storage(decoded)), "of a decoded body nobody knows")
    #expect(isStored(try bench.storage(headers, status: 204, body: "")))
  }

  @Test("§2: a response from another URL is not the target's")
  func redirected() throws {
    var other = bench
    other.target = "https://h.example/b"
    let decision = StorageDecision(
      try other.request(), head: try bench.head(["Cache-Control": "max-age=60"]), data: Data(),
      requestTime: bench.now, responseTime: bench.now)
    #expect(words(decision) == "not stored: another URL answered")
    other.target = "HTTPS://H.example:443/a#b"
    let same = StorageDecision(
      try other.request(), head: try bench.head(["Cache-Control": "max-age=60"]), data: Data(),
      requestTime: bench.now, responseTime: bench.now)
    #expect(isStored(same))
  }

  @Test("§3: a response that could never be reused is not stored, and one with a validator is")
  func useless() throws {
    let bad: [HTTPHeaders] = [
      [:], ["Cache-Control": "no-cache, max-age=60"], ["Cache-Control": "public"],
      ["Cache-Control": "max-age=0, must-revalidate"],
    ]
    for headers in bad {
      #expect(words(try bench.storage(headers)) == "not stored: neither a lifetime nor a validator")
      var asked = headers
      asked.append(name: "ETag", value: #""a""#)
      #expect(isStored(try bench.storage(asked)))
    }
    #expect(isStored(try bench.storage(["Cache-Control": "max-age=0"])), "for max-stale")
    #expect(isStored(try bench.storage(["Cache-Control": "max-age=1, must-revalidate"])))
  }

  @Test("§3.1: all fields are stored except the connection's, those it names, and the proxy's")
  func fields() throws {
    var bench = bench
    let gone: HTTPHeaders = [
      "Connection": "a, B , cache-control, close", "a": "1", "b": "2", "Keep-Alive": "timeout=5",
      "Proxy-Connection": "x", "TE": "x", "Transfer-Encoding": "chunked", "Upgrade": "x",
      "Proxy-Authenticate": "x", "Proxy-Authentication-Info": "x", "Proxy-Authorization": "x",
    ]
    let kept: HTTPHeaders = [
      "Cache-Control": "max-age=60", "C": "3", "c": "4", "Set-Cookie": "a=b", "X-Unknown": "x",
      "Content-Type": "text/plain", "Content-Range": "x", "WWW-Authenticate": "Basic",
      "Date": bench.date(),
    ]
    let stored = try bench.keep(HTTPHeaders(Array(gone) + Array(kept)))
    #expect(stored.head.headers == kept)
  }

  @Test("§5.2.2.4: fields that no-cache lists are not stored, and the rest is reused")
  func noCacheFields() throws {
    var bench = bench
    let stored = try bench.keep([
      "Cache-Control": #"no-cache="a, B""#, "a": "1", "b": "2", "c": "3",
      "cache-control": "max-age=3600",
    ])
    #expect(!stored.head.headers.contains("a"))
    #expect(!stored.head.headers.contains("b"))
    #expect(stored.head.headers["c"] == "3")
    #expect(try bench.word() == "fresh")
  }

  @Test("RFC 9110 §6.6.1: a response without a date is stored with its arrival date")
  func dated() throws {
    var bench = bench
    #expect(try bench.keep(["Cache-Control": "max-age=60"]).head.headers["Date"] == bench.date())
  }
}
