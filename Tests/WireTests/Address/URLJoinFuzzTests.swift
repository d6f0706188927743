import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import HTTPWire
@testable import RESTKit

@Suite("SEC-17: seeded fuzzing of the URL join")
struct URLJoinFuzzTests {
  private static let bases = [
    "https://api.example.com", "https://api.example.com/v1", "https://api.example.com/v1/",
    "http://127.0.0.1:8080/a/b", "HTTP://[::1]:81/x/",
  ]

  private static let pieces = [
    "/", "//", "\\", "..", ".", "%2e", "%2E", "%2f", "%5c", "%00", ";", ":", "@", "evil.com",
    "https",
    "https:", "javascript:", "?", "#", "&", "=", "+", "%", "%zz", "%41", "a", "users", "7", " ",
    "\t",
    "\n", "\r\n", "\0", "é", "e\u{301}", "\u{301}", "😀", "\u{2028}", "\u{FF0F}", "\u{FF0E}",
    "\u{202E}", "[", "]", "{", "}", "|", "^", "\"", "<", "-", "_", "~", ",", "!", "$",
  ]

  /// Splits a URL as RFC 3986, appendix B, does.
  private func split(
    _ url: String
  ) throws -> (scheme: Substring, authority: Substring, path: Substring, rest: Substring) {
    let match = try #require(
      try #/(?<scheme>[^:/?#]+):\/\/(?<authority>[^/?#]*)(?<path>[^?#]*)(?<rest>.*)/#
        .wholeMatch(in: url))
    return (match.scheme, match.authority, match.path, match.rest)
  }

  @Test("An accepted path stays below the base", arguments: 0..<6)
  func staysBelow(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var accepted = 0
    for round in 0..<4_000 {
      let base = try BaseURL(Self.bases[round % Self.bases.count])
      var endpoint = ""
      for _ in 0..<Int.random(in: 0...7, using: &generator) {
        endpoint += Self.pieces.randomElement(using: &generator) ?? ""
      }
      let query =
        Bool.random(using: &generator)
        ? [URLQueryItem(name: Self.pieces.randomElement(using: &generator) ?? "", value: endpoint)]
        : []
      let url: URL
      do throws(URLJoinError) {
        url = try base.url(endpoint: endpoint, query: QueryItems(query))
      } catch {
        #expect(error.part == .endpoint)
        continue
      }
      accepted += 1
      let text = url.absoluteString
      let components = try #require(URLComponents(string: text, encodingInvalidCharacters: false))
      #expect(components.scheme == base.scheme, "\(text)")
      #expect(components.port == base.port, "\(text)")
      #expect(components.user == nil && components.password == nil && components.fragment == nil)
      #expect(components.queryItems == (query.isEmpty ? nil : query), "\(text)")

      let (scheme, authority, path, rest) = try split(text)
      let host = base.host.contains(":") ? "[\(base.host)]" : base.host
      #expect(scheme == base.scheme)
      #expect(authority == host + (base.port.map { ":\($0)" } ?? ""))
      #expect(path == base.path || path.hasPrefix(base.path + "/"), "\(text)")
      #expect(rest.isEmpty == query.isEmpty)
      #expect(path.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "\\") })
      // A server that decodes the path finds no step up in it.
      let decoded = try #require(path.removingPercentEncoding)
      for segment in decoded.split(separator: "/") {
        let name = segment.split(separator: ";", omittingEmptySubsequences: false)[0]
        #expect(name != ".." && name != ".", "\(text)")
      }
      #expect(!path.contains("//"))
      #expect(url.standardized.absoluteString.hasPrefix(try base.url(endpoint: "").absoluteString))
      // Text that is encoded already passes a second time unchanged.
      let again = String(path.dropFirst(base.path.utf8.count))
      if !PathEncoding.beginsWithScheme(again.droppingFirstSlash) {
        #expect(try base.url(endpoint: again, query: QueryItems(query)) == url)
      }
    }
    #expect(accepted > 400)
  }

  @Test("A mutated base URL is refused or keeps its parts", arguments: 50..<54)
  func bases(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for round in 0..<4_000 {
      var text = Array(Self.bases[round % Self.bases.count].unicodeScalars)
      for _ in 0..<Int.random(in: 1...3, using: &generator) {
        let place = Int.random(in: 0...text.count, using: &generator)
        let end = min(text.count, place + Int.random(in: 0...2, using: &generator))
        let piece = Self.pieces.randomElement(using: &generator) ?? ""
        text.replaceSubrange(place..<end, with: Array(piece.unicodeScalars))
      }
      var string = ""
      string.unicodeScalars.append(contentsOf: text)
      let base: BaseURL
      do throws(URLJoinError) {
        base = try BaseURL(string)
      } catch {
        #expect(error.part == .baseURL)
        continue
      }
      let url = try base.url(endpoint: "users", query: [])
      let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
      #expect(components.scheme == "http" || components.scheme == "https")
      #expect(components.user == nil && components.query == nil && components.fragment == nil)
      #expect(components.percentEncodedPath == base.path + "/users")
      #expect(string.lowercased().hasPrefix(base.scheme + "://"))
      if string.utf8.allSatisfy({ $0 < 0x80 }) {
        let authority = string.dropFirst(base.scheme.count + 3).prefix { $0 != "/" }
        let reference = try #require(URLComponents(string: "http://" + authority.lowercased()))
        #expect(reference.port == base.port, "\(string)")
        #expect(
          reference.host?.trimmingCharacters(in: ["[", "]"]) == base.host, "\(string)")
      }
    }
  }

  @Test("A base URL in its normal form is read as one in another form", arguments: 60..<64)
  func normalForm(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    let plain = ["a", "a.b", "h-1", "_", "A", ":80", ":0", ":080", ":65535", ":65536", "/", "/v1"]
    let pieces = Self.pieces + plain + plain + plain
    var accepted = 0
    for _ in 0..<4_000 {
      var rest = "://"
      for _ in 0..<Int.random(in: 0...6, using: &generator) {
        rest += pieces.randomElement(using: &generator) ?? ""
      }
      let isSecure = Bool.random(using: &generator)
      // The scheme's case alone makes the second text another form.
      let normal = Result { () throws(URLJoinError) in
        try BaseURL((isSecure ? "https" : "http") + rest)
      }
      let other = Result { () throws(URLJoinError) in
        try BaseURL((isSecure ? "HTTPS" : "HTTP") + rest)
      }
      switch (normal, other) {
      case (.success(let normal), .success(let other)):
        accepted += 1
        #expect(normal == other, "\(rest)")
        #expect(normal.scheme == (isSecure ? "https" : "http"))
        #expect(normal.port == other.port && normal.host == other.host, "\(rest)")
        #expect(
          "\(normal.scheme)://\(normal.authority)\(normal.path)/a"
            == "\(try other.url(endpoint: "a"))")
      case (.failure(let normal), .failure(let other)):
        #expect(normal.description == other.description, "\(rest)")
      default:
        Issue.record("only one of the two forms of \(rest) is accepted")
      }
    }
    #expect(accepted > 200)
  }
}
