import Foundation
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("What a cache of responses keeps")
struct ResponseCacheTests {
  private func request(_ path: String) throws -> URLRequest {
    URLRequest(url: try #require(URL(string: "https://api.example.com/\(path)")))
  }

  private func keep(_ path: String, bytes: Int = 10, in cache: ResponseCache) throws {
    let response = try makeResponse(Data(count: bytes), headers: ["ETag": "\"1\""])
    cache.keep(response, for: try request(path))
  }

  private func kept(_ paths: String..., in cache: ResponseCache) throws -> [String] {
    try paths.filter { cache.entry(for: try request($0)) != nil }
  }

  @Test("What was used longest ago goes first, be it kept or read", arguments: 0..<8)
  func oldest(round: Int) throws {
    let cache = ResponseCache(maximumBytes: 40)
    for path in ["a", "b", "c", "d"] { try keep(path, in: cache) }
    // As far as uses are counted, these are the latest.
    #expect(try kept("a", "c", in: cache) == ["a", "c"])
    try keep("e", in: cache)
    try keep("f", in: cache)
    #expect(try kept("a", "b", "c", "d", "e", "f", in: cache) == ["a", "c", "e", "f"])
  }

  @Test("What is kept in order goes in order", arguments: 0..<8)
  func inOrder(round: Int) throws {
    let cache = ResponseCache(maximumBytes: 30)
    for path in ["a", "b", "c", "d", "e"] { try keep(path, in: cache) }
    #expect(try kept("a", "b", "c", "d", "e", in: cache) == ["c", "d", "e"])
  }

  @Test("The bytes of all bodies are bounded, those of one as well")
  func bytes() throws {
    let cache = ResponseCache(maximumBytes: 30)
    try keep("a", bytes: 30, in: cache)
    #expect(try kept("a", in: cache) == ["a"])
    try keep("a", bytes: 20, in: cache)
    try keep("b", bytes: 10, in: cache)
    #expect(try kept("a", "b", in: cache) == ["a", "b"])
    try keep("b", bytes: 11, in: cache)
    #expect(try kept("a", "b", in: cache) == ["b"])
    try keep("b", bytes: 31, in: cache)
    #expect(try kept("b", in: cache) == [])
    try keep("c", bytes: 30, in: cache)
    #expect(try kept("c", in: cache) == ["c"])
    cache.removeAll()
    #expect(try kept("c", in: cache) == [])
  }

  @Test(
    "What the server cannot confirm, or does not let anybody keep, is not kept",
    arguments: [
      ([:], 200, false), (["ETag": "1"], 200, true), (["Last-Modified": "now"], 200, true),
      (["ETag": "1"], 201, false), (["ETag": "1", "Vary": "Accept"], 200, true),
      (["ETag": "1", "Vary": "Accept, *"], 200, false),
      (["ETag": "1", "Cache-Control": "max-age=1, No-Store"], 200, false),
      (["ETag": "1", "Cache-Control": "no-cache"], 200, true),
    ] as [(HTTPHeaders, Int, Bool)])
  func keepable(headers: HTTPHeaders, status: Int, isKept: Bool) throws {
    let cache = ResponseCache()
    cache.keep(try makeResponse("x", status: status, headers: headers), for: try request("a"))
    #expect(try kept("a", in: cache) == (isKept ? ["a"] : []))
  }

  @Test("A request of another kind, or with other headers that count, gets nothing")
  func others() throws {
    let cache = ResponseCache()
    var asked = try request("a")
    asked.setValue("de", forHTTPHeaderField: "Accept-Language")
    cache.keep(
      try makeResponse("x", headers: ["ETag": "1", "Vary": "Accept-Language, Cookie"]), for: asked)
    #expect(cache.entry(for: asked) != nil)
    for (name, value) in [
      ("Accept-Language", "en"), ("Range", "bytes=0-"), ("Authorization", "x"), ("Cookie", "a=b"),
    ] {
      var other = asked
      other.setValue(value, forHTTPHeaderField: name)
      #expect(cache.entry(for: other) == nil, "\(name)")
    }
    var post = asked
    post.httpMethod = "POST"
    #expect(cache.entry(for: post) == nil)
  }
}
