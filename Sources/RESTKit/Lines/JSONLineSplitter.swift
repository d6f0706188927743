import Foundation
import Streams

/// A splitter that decodes the lines of a body.
struct JSONLineSplitter<Item: Decodable & Sendable, Ending: JSONLineEnding>: Publishers.Splitter {
  private var scanner: LineScanner<Ending>
  private var decoder: StreamDecoder
  private let skip: (@Sendable (RESTError) -> Void)?

  init(
    _ ending: Ending, limit: Int, decoder: StreamDecoder, skip: (@Sendable (RESTError) -> Void)?
  ) {
    scanner = LineScanner(ending, limit: limit)
    self.decoder = decoder
    self.skip = skip
  }

  mutating func receive(_ chunk: Data) throws(any Error) {
    scanner.receive(chunk)
  }

  mutating func next() throws(any Error) -> Item? {
    while let line = try nextLine() {
      guard let line else {
        if !Ending.countsBlankLines { scanner.forgetLine() }
        continue
      }
      do throws(RESTError) {
        return try decoded(line)
      } catch {
        guard let skip else { throw error }
        skip(error)
      }
    }
    return nil
  }

  mutating func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    // The last line of a cut body may be incomplete.
    if case .finished = completion { scanner.end() }
    return completion
  }

  /// Returns the next line.
  ///
  /// The inner optional is nil if the line contains only blanks.
  private mutating func nextLine() throws(RESTError) -> Data?? {
    do throws(LineError) {
      return try scanner.next { bytes in
        bytes.allSatisfy(\.isJSONBlank) ? nil : Data(bytes)
      }
    } catch {
      throw RESTError(error, unit: Ending.unit)
    }
  }

  private mutating func decoded(_ line: Data) throws(RESTError) -> Item {
    if let fault = scanner.ending.fault(of: line) {
      throw RESTError(fault, number: scanner.line, text: line)
    }
    do {
      return try decoder.coder.decode(Item.self, from: line)
    } catch {
      throw RESTError(
        decoding: Item.self, from: "\(Ending.unit) \(scanner.line) of the body", text: line,
        error: error
      ) { LineError($0 ? .malformed : .undecodable, line: scanner.line, underlyingError: error) }
    }
  }
}

/// A line ending of bodies that contain one JSON text after another.
protocol JSONLineEnding: LineEnding {
  /// The name of a line in error texts.
  static var unit: String { get }

  /// Whether a line of blanks has a number.
  static var countsBlankLines: Bool { get }

  /// Returns the framing fault of the last line, independent of its JSON.
  func fault(of line: Data) -> JSONLineFault?
}

/// A fault in the framing of a line.
enum JSONLineFault: Error {
  case separator
  case whitespaceBehindValue
}

extension LineFeeds: JSONLineEnding {
  static var unit: String { "line" }
  static var countsBlankLines: Bool { true }

  func fault(of line: Data) -> JSONLineFault? { nil }
}

extension JSONRecords: JSONLineEnding {
  static var unit: String { "record" }
  static var countsBlankLines: Bool { false }

  /// A number or a literal may be cut and still be valid JSON.
  ///
  /// Whitespace after it shows that it is complete (RFC 7464, 2.4).
  func fault(of line: Data) -> JSONLineFault? {
    guard wasSeparated else { return .separator }
    guard let first = line.first(where: { !$0.isJSONBlank }), let last = line.last else {
      return nil
    }
    let endsItself =
      first == UInt8(ascii: "{") || first == UInt8(ascii: "[") || first == UInt8(ascii: "\"")
    return endsItself || last.isJSONBlank ? nil : .whitespaceBehindValue
  }
}

extension UInt8 {
  /// Whether the byte is whitespace between JSON tokens (RFC 8259, 2).
  var isJSONBlank: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}
