import Foundation
import RESTKit
import RESTKitTesting
import StreamsTesting

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A request of drawn parts that a server takes, with what shells, curl and terminals read.
package enum DrawnRequest {
  private static let punctuation = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~".map { String($0) }
  private static let tokens =
    "!#$%&'*+-.^_`|~".map { String($0) } + ["A", "Z", "b", "9", "~root", "!!", "$HOME", "-o", "*"]
  private static let pieces =
    punctuation + punctuation + [
      " ", "\t", "a", "Z", "0", "é", "e\u{301}", "天", "😀", "\u{61C}", "\u{200F}", "\u{202E}",
      "\u{2066}", "\u{2069}", "$(touch owned)", "`touch owned`", "; touch owned; ", "$HOME",
      "~root",
      "=ls", "!!", "{a,b}", "{1..3}", "[a-z]", "**", "'\\''", "\\n", "%s", "%41", "--output=owned",
    ]
  private static let bodyPieces = pieces + ["\n", "\r\n", "\0", "\u{1B}[31m", "\u{7F}", "\u{9B}"]
  private static let methods = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "HEAD"]

  /// - Parameter origin: Scheme, host and port of the URL.
  package static func next(
    with generator: inout SeededGenerator, at origin: String
  ) -> URLRequest {
    var request = URLRequest(url: url(with: &generator, at: origin))
    request.httpMethod =
      generator.number(0...2) == 0
      ? generator.text(of: tokens, 1...6) : generator.one(of: methods)
    for _ in 0..<generator.number(0...4) {
      request.setValue(
        generator.text(of: pieces, 0...8),
        forHTTPHeaderField: "X-" + generator.text(of: tokens, 0...5))
    }
    guard request.httpMethod != "HEAD", generator.number(0...3) > 0 else { return request }
    request.httpBody = body(with: &generator)
    if generator.number(0...1) == 0 {
      request.setValue(
        generator.one(of: ["text/plain", "application/json", "a/b; c=\"~\\\"\""]),
        forHTTPHeaderField: "Content-Type")
    }
    return request
  }

  private static func url(with generator: inout SeededGenerator, at origin: String) -> URL {
    while true {
      let path = generator.text(of: pieces, 0...6)
      let query = generator.number(0...1) == 0 ? "" : "?" + generator.text(of: pieces, 0...6)
      if let url = URL(string: "\(origin)/\(path)\(query)") { return url }
    }
  }

  private static func body(with generator: inout SeededGenerator) -> Data {
    switch generator.number(0...199) {
    case 0: Data(String(repeating: generator.text(of: pieces, 1...3), count: 60_000).utf8)
    case 1...20:
      Data((0..<generator.number(0...60)).map { _ in UInt8.random(in: 0...255, using: &generator) })
    default: Data(generator.text(of: bodyPieces, 0...20).utf8)
    }
  }

  /// Returns what a server got otherwise than the request has it, or nil.
  ///
  /// - Parameter added: The names, in lower case, of the fields that the sender adds.
  package static func difference(
    of request: URLRequest, from received: MockRequest, added: Set<String>
  ) -> String? {
    guard received.method == request.httpMethod else { return "method \(received.method)" }
    let url = (request.url?.absoluteString ?? "").prefix { $0 != "#" }
    let authority = url.dropFirst("http://".count).prefix { $0 != "/" && $0 != "?" }
    let target = String(url[authority.endIndex...])
    guard Data(received.target.utf8) == Data(target.utf8) else {
      return "target \(received.target)"
    }
    guard received.body == request.httpBody ?? Data() else {
      return "body of \(received.body.count) bytes"
    }
    let fields = request.allHTTPHeaderFields ?? [:]
    for (name, value) in fields {
      // A server drops blanks around a value (RFC 9112 §5.1).
      let start = value.unicodeScalars.drop { $0 == " " || $0 == "\t" }
      let end = start.lastIndex { $0 != " " && $0 != "\t" }
      let trimmed = end.map { String(start[...$0]) } ?? ""
      let values = received.values(for: name)
      guard values.map({ Data($0.utf8) }) == [Data(trimmed.utf8)] else {
        return "header \(name) \(values)"
      }
    }
    let names = Set(received.headers.map { $0.name.lowercased() })
    let surplus = names.subtracting(fields.keys.map { $0.lowercased() }).subtracting(added)
    return surplus.isEmpty ? nil : "header \(surplus)"
  }
}
