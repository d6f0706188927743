import Fixtures
import Foundation
import StreamsTesting
import Testing

@testable import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A URL reference in the five parts of RFC 3986, appendix B.
struct PlainReference: Equatable {
  var scheme: String?
  var authority: String?
  var path: String
  var query: String?
  var fragment: String?

  init(_ text: String) {
    var rest = text.unicodeScalars[...]
    func taken(while isTaken: (Unicode.Scalar) -> Bool) -> String {
      let part = rest.prefix(while: isTaken)
      rest = rest[part.endIndex...]
      return String(part)
    }
    if let colon = rest.firstIndex(where: { ":/?#".unicodeScalars.contains($0) }),
      rest[colon] == ":", rest[..<colon].first?.properties.isAlphabetic == true,
      rest[..<colon].allSatisfy({
        $0.isASCII && ($0.properties.isAlphabetic || "+-.0123456789".unicodeScalars.contains($0))
      })
    {
      scheme = String(rest[..<colon])
      rest = rest[rest.index(after: colon)...]
    }
    if rest.starts(with: "//".unicodeScalars) {
      rest = rest.dropFirst(2)
      authority = taken { !"/?#".unicodeScalars.contains($0) }
    }
    path = taken { $0 != "?" && $0 != "#" }
    if rest.first == "?" {
      rest = rest.dropFirst()
      query = taken { $0 != "#" }
    }
    if rest.first == "#" { fragment = String(rest.dropFirst()) }
  }

  /// Section 5.2.2.
  func resolved(against base: PlainReference) -> PlainReference {
    var target = self
    if scheme == nil {
      target.scheme = base.scheme
      if authority == nil {
        target.authority = base.authority
        if path.isEmpty {
          target.path = base.path
          target.query = query ?? base.query
        } else if !path.hasPrefix("/") {
          let folder = base.path.lastIndex(of: "/").map { base.path[...$0] } ?? "/"
          target.path = folder + path
        }
      }
    }
    target.path = target.path.isEmpty ? "/" : Self.removingDots(target.path)
    return target
  }

  /// Section 5.2.4.
  private static func removingDots(_ path: String) -> String {
    var output: [Substring] = []
    let segments = path.split(separator: "/", omittingEmptySubsequences: false)
    for (index, segment) in segments.enumerated() {
      let isLast = index == segments.count - 1
      switch segment {
      case ".": if isLast { output.append("") }
      case "..":
        if output.count > 1 { output.removeLast() }
        if isLast { output.append("") }
      default: output.append(segment)
      }
    }
    return output.joined(separator: "/")
  }

  /// The text, with what may not stand in a URL as escapes.
  var text: String {
    func escaped(_ part: String, besides more: String = "") -> String {
      let plain = Set(
        ("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~!$&'()*+,;=:@%" + more)
          .utf8)
      let bytes = Array(part.utf8)
      return bytes.enumerated().map { place, byte in
        let digits = bytes.dropFirst(place + 1).prefix(2)
        let isBare =
          byte == UInt8(ascii: "%")
          && (digits.count < 2
            || !digits.allSatisfy { Unicode.Scalar($0).properties.isASCIIHexDigit })
        return plain.contains(byte) && !isBare
          ? String(Unicode.Scalar(byte))
          : "%" + (byte < 16 ? "0" : "")
            + String(byte, radix: 16, uppercase: true)
      }.joined()
    }
    return (scheme.map { $0 + ":" } ?? "")
      + (authority.map { "//" + escaped($0, besides: "[]") } ?? "")
      + escaped(path, besides: "/") + (query.map { "?" + escaped($0, besides: "/?") } ?? "")
      + (fragment.map { "#" + escaped($0, besides: "/?") } ?? "")
  }
}

@Suite("SEC-17: redirect targets", .timeLimit(.minutes(10)))
struct RedirectFuzzTests {
  private static let pieces = [
    "/", "/", "//", "..", ".", "../", "./", "?", "#", ":", "@", "http:", "https:", "http://",
    "https://", "a", "b", "b.example", "127.0.0.1", ":80", ":443", ":8080", "%2F", "%2e%2e",
    "%c3%a9", " ", "\\", "[", "]", "[::1]", ";", "=", "&", "+", "%", "javascript:", "|", "\"", "~",
    "{", "api.example.com", "API.example.com",
  ]

  private static let sources = [
    "https://api.example.com/v1/go", "http://h:8080/a/b/c?d=e", "https://api.example.com",
    "http://api.example.com/v1/?x", "https://127.0.0.1:8443/a;b",
  ]

  private func location(_ generator: inout SeededGenerator) -> String {
    generator.one(of: [
      "", "", "/", "//", "https://", "http://b.example", "https://api.example.com",
    ])
      + generator.text(of: Self.pieces, 0...6)
  }

  @Test("Each target is the one of RFC 3986, or is refused", arguments: Fuzz.seeds)
  func resolution(seed: UInt64) throws {
    var count = 0
    try Fuzz.run(seed, cases: 4_000) { generator, drawn in
      let source = generator.one(of: Self.sources)
      let location = location(&generator)
      guard let target = RedirectTarget.url(location, from: try #require(URL(string: source))),
        (try? RequestValidation.check(url: target.absoluteString)) != nil
      else { return }
      count += 1
      var reference = PlainReference(location).resolved(against: PlainReference(source))
      // An empty port is the default one, and is left out.
      if reference.authority?.hasSuffix(":") == true { reference.authority?.removeLast() }
      let expected = reference.text
      guard target.absoluteString == expected else {
        return drawn.fail("\(location) of \(source) is \(target), not \(expected)")
      }
    }
    #expect(count > 0)
  }

  @Test(
    "No redirect takes a secret to another origin, leaves https or has a password",
    arguments: Fuzz.seeds)
  func safety(seed: UInt64) throws {
    var kept = 0
    try Fuzz.run(seed, cases: 3_000) { generator, drawn in
      let source = generator.one(of: Self.sources)
      let location = location(&generator)
      var request = URLRequest(url: try #require(URL(string: source)))
      request.setValue("secret", forHTTPHeaderField: "Authorization")
      let response = try makeResponse(
        Data(), status: generator.one(of: [301, 302, 303, 307, 308]),
        headers: ["Location": location])
      guard let next = try? RedirectRules().next(after: response, to: request) else { return }
      let target = PlainReference(next.url?.absoluteString ?? "")
      let from = PlainReference(source)
      func origin(_ reference: PlainReference) -> String {
        let scheme = (reference.scheme ?? "").lowercased()
        var authority = (reference.authority ?? "").lowercased()
        if authority.hasSuffix(":") { authority.removeLast() }
        let port = scheme == "https" ? ":443" : ":80"
        return scheme + "://" + authority + (authority.hasSuffix(port) ? "" : port)
      }
      let hasSecret = next.value(forHTTPHeaderField: "Authorization") != nil
      kept += hasSecret ? 1 : 0
      // A port that is written and not the default one makes this stricter than it need be.
      guard !hasSecret || origin(target) == origin(from) else {
        return drawn.fail("\(location) of \(source) takes the secret to \(target.text)")
      }
      guard target.scheme?.lowercased() == "https" || from.scheme == "http" else {
        return drawn.fail("\(location) of \(source) leaves https")
      }
      guard target.authority?.contains("@") == false else {
        return drawn.fail("\(location) of \(source) has user info")
      }
    }
    #expect(kept > 0)
  }
}
