import Foundation
import RESTKit

/// Recorded traffic in the format HAR 1.2, which the network panels of browsers read and write.
///
/// Unknown members are kept: a file that is read and written again loses nothing. Its numbers keep
/// all their digits.
public struct HAR: Sendable, Equatable {
  /// The exchanges, in the order in which they began.
  public internal(set) var entries: [HAREntry]
  /// The format of dates.
  static let dateStyle = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// The whole document, without the entries.
  private let document: JSONValue
  /// The numbers of the document, without those of the entries.
  private let numbers: HARNumbers

  /// Makes a log of exchanges.
  ///
  /// - Parameter members: Further members of the log, whose names begin with `_`.
  package init(entries: [HAREntry], log members: [String: JSONValue] = [:]) {
    self.entries = entries
    var log: JSONValue = [
      "version": "1.2", "creator": ["name": "RESTKit", "version": "1"], "entries": [],
    ]
    for (name, value) in members { log[name] = value }
    document = ["log": log]
    numbers = HARNumbers()
  }

  /// Returns a member of the log.
  package subscript(log name: String) -> JSONValue? { document["log"]?[name] }

  /// Reads the content of a file.
  ///
  /// - Throws: ``HARError`` for the first invalid part, or for the whole file if it is not JSON.
  public init(_ data: Data) throws(HARError) {
    var data = data
    // Some exporters write a byte order mark, which JSON does not allow at its beginning.
    if data.starts(with: [0xEF, 0xBB, 0xBF]) { data = Data(data.dropFirst(3)) }
    var numbers = HARNumbers(&data)
    guard var document = try? JSONDecoder().decode(JSONValue.self, from: data) else {
      throw HARError(path: "the file", expectation: "JSON")
    }
    guard var log = document["log"], log.object != nil else {
      throw HARError(path: "log", expectation: "an object")
    }
    guard let values = log["entries"]?.array else {
      throw HARError(path: "log.entries", expectation: "an array")
    }
    let entryNumbers = numbers.takeElements(under: "log", "entries")
    self.numbers = numbers
    var entries: [HAREntry] = []
    for (index, value) in values.enumerated() {
      entries.append(
        try HAREntry(
          value, numbers: entryNumbers[index] ?? HARNumbers(), path: "log.entries[\(index)]"))
    }
    self.entries = entries
    log["entries"] = []
    document["log"] = log
    self.document = document
  }

  /// Reads a file.
  ///
  /// - Throws: ``HARError``, or Foundation's error if the file cannot be read.
  public init(contentsOf file: URL) throws {
    try self.init(Data(contentsOf: file))
  }

  /// The content of a file: JSON in UTF-8, with members sorted by name.
  public var data: Data {
    let data = encoded { $0.json }
    guard !numbers.isEmpty || entries.contains(where: { !$0.numbers.isEmpty }) else { return data }
    // A mark that no text of the file contains.
    var mark = "number "
    while data.range(of: Data(mark.utf8)) != nil { mark += "as written " }
    let marked = encoded(document: numbers.marked(document, by: mark)) {
      $0.numbers.marked($0.json, by: mark)
    }
    return HARNumbers.unmarked(marked, mark: mark)
  }

  private func encoded(document: JSONValue? = nil, _ json: (HAREntry) -> JSONValue) -> Data {
    var document = document ?? self.document
    document["log"]?["entries"] = .array(entries.map(json))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    // The document cannot fail to encode, since each number was read from JSON or counted.
    let json = (try? encoder.encode(document)) ?? Data()
    return Data(String(decoding: json, as: UTF8.self).printableJSON.utf8)
  }

  /// Writes the file atomically.
  ///
  /// Only its owner may read it, from the first byte on.
  ///
  /// - Throws: Foundation's error if the file cannot be written.
  public func write(to file: URL) throws {
    let draft = file.deletingLastPathComponent().appending(path: ".\(UUID().uuidString).har")
    _ = FileManager.default.createFile(
      atPath: draft.path, contents: nil, attributes: [.posixPermissions: 0o600])
    do {
      try data.write(to: draft)
      guard rename(draft.path, file.path) == 0 else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSFilePathErrorKey: file.path])
      }
    } catch {
      try? FileManager.default.removeItem(at: draft)
      throw error
    }
  }
}

extension HAR: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// A text with one line for each exchange: method, URL without its query, and status.
  public var description: String { entries.map(\.description).joined(separator: "\n") }

  public var debugDescription: String { description }

  public var customMirror: Mirror { Mirror(self, unlabeledChildren: entries) }
}

/// The reason why a file is not HAR 1.2, with the place in the file.
///
/// Its text names places and types, but none of the file's content.
public struct HARError: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  /// The place, such as `log.entries[3].response.status`.
  public let path: String
  /// The expected value.
  public let expectation: String

  public var description: String {
    "The HAR file cannot be used: \(path) is not \(expectation). Export it again as HAR 1.2."
  }

  public var errorDescription: String? { description }
}
