import Foundation
import Streams

/// A splitter that makes strings of a body's lines.
struct LineSplitter: Publishers.Splitter {
  private var scanner: LineScanner<LineFeeds>
  private let invalidUTF8: InvalidUTF8

  init(limit: Int, invalidUTF8: InvalidUTF8) {
    scanner = LineScanner(LineFeeds(), limit: limit)
    self.invalidUTF8 = invalidUTF8
  }

  mutating func receive(_ chunk: Data) throws(any Error) {
    scanner.receive(chunk)
  }

  mutating func next() throws(any Error) -> String? {
    do throws(LineError) {
      switch invalidUTF8 {
      case .replace:
        return try scanner.next { String(decoding: $0, as: UTF8.self) }
      case .fail:
        var fault: Int?
        let line = try scanner.next { bytes in
          let line = String(validating: bytes, as: UTF8.self)
          if line == nil { fault = bytes.placeOfInvalidUTF8 }
          return line
        }
        if let fault { throw LineError(.invalidUTF8(offset: fault), line: scanner.line) }
        return line ?? nil
      }
    } catch {
      throw RESTError(error)
    }
  }

  mutating func end(
    _ completion: Subscribers.Completion<any Error>
  ) -> Subscribers.Completion<any Error> {
    // The last line of a cut body may be incomplete.
    if case .finished = completion { scanner.end() }
    return completion
  }
}
