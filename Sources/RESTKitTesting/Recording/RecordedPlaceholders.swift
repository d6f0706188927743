import Foundation
import RESTKit
import RESTKitReports

/// The placeholders in a recording, which its file lists.
struct RecordedPlaceholders: Sendable {
  /// A part of a text.
  enum Part {
    case literal(ArraySlice<UInt8>)
    case placeholder(String)
  }

  /// The member of a file's log that lists them, in the order of their numbers.
  static let member = "_placeholders"

  private let texts: [String]
  private let search: TextSearch

  /// Reads the list of a file.
  ///
  /// In an old file without one, the placeholders are those that look like one.
  init(_ har: HAR) {
    self.init(
      har[log: Self.member]?.array.map { $0.compactMap(\.string) }
        ?? Set(har.entries.flatMap { SecretPlaceholder.guessed(in: $0.texts) }).sorted())
  }

  private init(_ texts: [String]) {
    let other = texts.filter { $0.inFields != $0 }
    self.texts = texts + other
    search = TextSearch(texts + other.map(\.inFields))
  }

  /// Returns the places of placeholders, which may have the escapes of a query.
  func places(in bytes: [UInt8]) -> [(placeholder: String, range: Range<Int>)] {
    search.matches(in: bytes).map { (texts[$0.index], $0.range) }
  }

  /// Returns the placeholders in a text.
  func all(in text: String) -> Set<String> { Set(places(in: Array(text.utf8)).map(\.placeholder)) }

  func parts(of bytes: [UInt8]) -> [Part] {
    var parts: [Part] = []
    var start = 0
    for (placeholder, range) in places(in: bytes) {
      parts += [.literal(bytes[start..<range.lowerBound]), .placeholder(placeholder)]
      start = range.upperBound
    }
    return parts + [.literal(bytes[start...])]
  }
}

extension HAREntry {
  /// The texts of the request.
  private var requestTexts: [String] {
    let request = json["request"]
    let posted = request?["postData"]
    let bytes = posted?["_base64"]?.string.flatMap { Data(base64Encoded: $0) } ?? Data()
    return [request?["url"]?.string, posted?["text"]?.string].compactMap { $0 }
      + Self.values(request?["headers"]) + [String(decoding: bytes, as: UTF8.self)]
  }

  /// The texts of the response.
  private var responseTexts: [String] {
    Self.values(json["response"]?["headers"]) + [String(decoding: responseBody, as: UTF8.self)]
  }

  fileprivate var texts: String { (requestTexts + responseTexts).joined(separator: "\n") }

  private static func values(_ fields: JSONValue?) -> [String] {
    (fields?.array ?? []).compactMap { $0["value"]?.string }
  }

  /// Returns the placeholders in the request, and those in the response.
  func placeholders(_ known: RecordedPlaceholders) -> (sent: Set<String>, received: Set<String>) {
    func all(_ texts: [String]) -> Set<String> { known.all(in: texts.joined(separator: "\n")) }
    return (all(requestTexts), all(responseTexts))
  }
}
