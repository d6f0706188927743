import Fixtures

@testable import RESTKit
@testable import RESTKitReports

/// The rules of HAR 1.2 for a document: the required and optional members of each object, and their
/// kinds.
enum HARSchema {
  /// The places where a document is not as it must be; empty for a valid one.
  static func violations(in document: JSONValue) -> [String] {
    check(document, root, "")
  }

  private indirect enum Kind: Sendable {
    case text, whole, number, flag, date, base64OrNothing
    /// A length in milliseconds, -1 for what does not apply.
    case time
    case list(Kind)
    case object([String: Member])
  }

  private struct Member: Sendable {
    let kind: Kind
    var isRequired = true
  }

  private static func must(_ kind: Kind) -> Member { Member(kind: kind) }
  private static func may(_ kind: Kind) -> Member { Member(kind: kind, isRequired: false) }

  private static let tool = Kind.object([
    "name": must(.text), "version": must(.text), "comment": may(.text),
  ])
  private static let pair = Kind.object([
    "name": must(.text), "value": must(.text), "comment": may(.text),
  ])
  private static let cookie = Kind.object([
    "name": must(.text), "value": must(.text), "path": may(.text), "domain": may(.text),
    "expires": may(.date), "httpOnly": may(.flag), "secure": may(.flag), "comment": may(.text),
  ])
  private static let page = Kind.object([
    "startedDateTime": must(.date), "id": must(.text), "title": must(.text),
    "pageTimings": must(
      .object(["onContentLoad": may(.time), "onLoad": may(.time), "comment": may(.text)])),
    "comment": may(.text),
  ])
  private static let postData = Kind.object([
    "mimeType": must(.text), "text": may(.text),
    "params": may(.list(.object(["name": must(.text)]))),
    "comment": may(.text),
  ])
  private static let request = Kind.object([
    "method": must(.text), "url": must(.text), "httpVersion": must(.text),
    "cookies": must(.list(cookie)), "headers": must(.list(pair)), "queryString": must(.list(pair)),
    "postData": may(postData), "headersSize": must(.whole), "bodySize": must(.whole),
    "comment": may(.text),
  ])
  private static let content = Kind.object([
    "size": must(.whole), "compression": may(.whole), "mimeType": must(.text), "text": may(.text),
    "encoding": may(.base64OrNothing), "comment": may(.text),
  ])
  private static let response = Kind.object([
    "status": must(.whole), "statusText": must(.text), "httpVersion": must(.text),
    "cookies": must(.list(cookie)), "headers": must(.list(pair)), "content": must(content),
    "redirectURL": must(.text), "headersSize": must(.whole), "bodySize": must(.whole),
    "comment": may(.text),
  ])
  private static let timings = Kind.object([
    "blocked": may(.time), "dns": may(.time), "connect": may(.time), "ssl": may(.time),
    "send": must(.time), "wait": must(.time), "receive": must(.time), "comment": may(.text),
  ])
  private static let entry = Kind.object([
    "pageref": may(.text), "startedDateTime": must(.date), "time": must(.number),
    "request": must(request), "response": must(response), "cache": must(.object([:])),
    "timings": must(timings), "serverIPAddress": may(.text), "connection": may(.text),
    "comment": may(.text),
  ])
  private static let root = Kind.object([
    "log": must(
      .object([
        "version": must(.text), "creator": must(tool), "browser": may(tool),
        "pages": may(.list(page)), "entries": must(.list(entry)), "comment": may(.text),
      ]))
  ])

  private static func check(_ value: JSONValue, _ kind: Kind, _ path: String) -> [String] {
    switch (kind, value) {
    case (.object(let members), .object(let values)):
      let missing = members.filter { $1.isRequired && values[$0] == nil }.keys.sorted()
        .map { "\(path).\($0) is missing" }
      // A name of one's own begins with an underscore.
      let unknown = values.keys.filter { members[$0] == nil && !$0.hasPrefix("_") }.sorted()
        .map { "\(path).\($0) is not in HAR 1.2" }
      let isOpen = members.isEmpty
      return missing + (isOpen ? [] : unknown)
        + members.sorted { $0.key < $1.key }.flatMap { name, member in
          values[name].map { check($0, member.kind, "\(path).\(name)") } ?? []
        }
    case (.list(let kind), .array(let values)):
      return values.enumerated().flatMap { check($1, kind, "\(path)[\($0)]") }
    case (.text, .string), (.whole, .integer), (.number, .integer), (.number, .number),
      (.flag, .bool), (.base64OrNothing, "base64"):
      return []
    case (.time, _) where value.number.map({ $0 >= 0 || $0 == -1 }) == true:
      return []
    case (.date, .string(let text)) where isDate(text):
      return []
    default:
      return ["\(path) is not \(name(of: kind))"]
    }
  }

  /// ISO 8601 with a zone.
  private static func isDate(_ text: String) -> Bool {
    text.contains(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:?\d\d)$/)
  }

  private static func name(of kind: Kind) -> String {
    switch kind {
    case .text: "text"
    case .whole: "a whole number"
    case .number: "a number"
    case .flag: "true or false"
    case .date: "a date"
    case .base64OrNothing: "base64"
    case .time: "a time"
    case .list: "an array"
    case .object: "an object"
    }
  }
}
