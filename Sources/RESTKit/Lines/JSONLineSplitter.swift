import Foundation
import Streams

/// A splitter that decodes the lines of a body.
struct JSONLineSplitter<Item: Decodable & Sendable, Ending: JSONLineEnding>: Publishers.Splitter {
  private var scanner: LineScanner<Ending>
  private let decoder: JSONDecoder
  private let skip: (@Sendable (RESTError) -> Void)?

  init(
    _ ending: Ending, limit: Int, decoder: JSONDecoder, skip: (@Sendable (RESTError) -> Void)?
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

  private func decoded(_ line: Data) throws(RESTError) -> Item {
    if let fault = scanner.ending.fault(of: line) {
      throw RESTError(fault, number: scanner.line, text: line)
    }
    do {
      return try decoder.decode(Item.self, from: line)
    } catch {
      throw RESTError(
        decoding: Item.self, from: "\(Ending.unit) \(scanner.line) of the body", text: line,
        error: error
      ) { LineError($0 ? .malformed : .undecodable, line: scanner.line, underlyingError: error) }
    }
  }
}
