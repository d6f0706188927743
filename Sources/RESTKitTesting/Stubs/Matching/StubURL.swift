import Foundation
import RESTKit

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The parts of a URL, as stubs compare them: split at its delimiters, and not decoded.
struct StubURL: Sendable {
  /// The scheme in lower case, or nil.
  let scheme: Substring?
  /// The host in lower case, with its port if there is one.
  let host: Substring?
  /// The percent-encoded path; `/` if it is empty.
  let path: Substring
  /// The percent-encoded query; nil without a `?`.
  let query: Substring?

  /// Creates the parts of a request's URL; empty if it has none.
  init(of request: URLRequest) {
    self.init(request.url?.absoluteString ?? "")
  }

  // By bytes, because each request with another spelling than its stub is split.
  init(_ text: String) {
    let bytes = text.utf8
    let end = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.endIndex
    let mark = bytes[..<end].firstIndex(of: UInt8(ascii: "?")) ?? end
    query = mark < end ? text[bytes.index(after: mark)..<end] : nil

    var start = text.startIndex
    if let colon = bytes[..<mark].firstIndex(of: UInt8(ascii: ":")),
      bytes[colon..<mark].starts(with: "://".utf8)
    {
      scheme = text[..<colon].lowercasedASCII
      let authority = bytes[bytes.index(colon, offsetBy: 3)..<mark]
      start = authority.firstIndex(of: UInt8(ascii: "/")) ?? mark
      let user = authority[..<start].lastIndex(of: UInt8(ascii: "@"))
      host = text[(user.map(bytes.index(after:)) ?? authority.startIndex)..<start].lowercasedASCII
    } else {
      (scheme, host) = (nil, nil)
    }
    path = start < mark ? text[start..<mark] : "/"
  }

  /// The decoded names and values of the query.
  ///
  /// A name alone has no value.
  var queryItems: [StubField] {
    guard let query, !query.isEmpty else { return [] }
    // Foundation's `percentEncodedQuery` ends the process for a character that needs an escape.
    return StubField.form(query, keepsEmpty: true)
  }
}

extension Substring {
  /// The text in lower case.
  ///
  /// A text without capital letters, the usual case for schemes and hosts, is not copied.
  fileprivate var lowercasedASCII: Substring {
    utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      ? Substring(lowercased()) : self
  }
}

/// A path, or a pattern of paths, compared segment by segment.
///
/// Segments are equal if they are so without their percent encoding, byte by byte: `!a` is `%21a`,
/// while `a%2Fb` is one segment and `a/b` are two. In a pattern, `*` stands for one segment, `**`
/// for any number of segments, or none.
struct StubPath: Sendable {
  private enum Segment: Sendable {
    case text([UInt8])
    case one
    case anyNumber

    func matches(_ other: [UInt8]) -> Bool {
      switch self {
      case .text(let text): text == other
      case .one: true
      case .anyNumber: false
      }
    }
  }

  let text: String
  private let segments: [Segment]

  /// Whether a segment stands for others, so that the places of two texts do not compare.
  var isPattern: Bool {
    segments.contains { if case .text = $0 { false } else { true } }
  }

  /// Creates a pattern.
  init(pattern text: String) {
    self.text = text.hasPrefix("/") ? text : "/" + text
    segments = Self.split(Substring(self.text)).map { segment in
      switch segment {
      case "*": .one
      case "**": .anyNumber
      default: .text(Self.decoded(segment))
      }
    }
  }

  /// Creates one path.
  init(exactly text: String) {
    self.text = text
    segments = Self.split(Substring(text)).map { .text(Self.decoded($0)) }
  }

  func matches(_ path: Substring) -> Bool {
    let actual = Self.split(path).map(Self.decoded)
    var (place, other) = (0, 0)
    // The position of the last `**`, and how far it has reached. It takes one more segment if the
    // rest does not match.
    var wildcard: (place: Int, reached: Int)?
    while other < actual.count {
      if place < segments.count, case .anyNumber = segments[place] {
        wildcard = (place, other)
        place += 1
      } else if place < segments.count, segments[place].matches(actual[other]) {
        place += 1
        other += 1
      } else if let last = wildcard {
        wildcard = (last.place, last.reached + 1)
        (place, other) = (last.place + 1, last.reached + 1)
      } else {
        return false
      }
    }
    return segments[place...].allSatisfy { if case .anyNumber = $0 { true } else { false } }
  }

  /// Returns the number of segments that differ from the path.
  func distance(to path: Substring) -> Int {
    let actual = Self.split(path).map(Self.decoded)
    let unequal = zip(segments, actual).count { segment, other in
      if case .text = segment { !segment.matches(other) } else { false }
    }
    return unequal + abs(segments.count - actual.count)
  }

  private static func split(_ path: Substring) -> [Substring] {
    path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
  }

  private static func decoded(_ segment: Substring) -> [UInt8] {
    segment.decodedBytes(isForm: false)
  }
}

extension StringProtocol {
  /// Returns the bytes behind the percent encoding, which need be no text.
  ///
  /// What is no escape stays as it is.
  ///
  /// - Parameter isForm: Whether `+` is a blank.
  func decodedBytes(isForm: Bool) -> [UInt8] {
    let bytes = Array(utf8)
    var decoded: [UInt8] = []
    decoded.reserveCapacity(bytes.count)
    var place = 0
    while place < bytes.count {
      if bytes[place] == UInt8(ascii: "%"), place + 2 < bytes.count,
        let high = bytes[place + 1].hexDigitValue, let low = bytes[place + 2].hexDigitValue
      {
        decoded.append(UInt8(high << 4 | low))
        place += 3
      } else {
        let isBlank = isForm && bytes[place] == UInt8(ascii: "+")
        decoded.append(isBlank ? UInt8(ascii: " ") : bytes[place])
        place += 1
      }
    }
    return decoded
  }
}
