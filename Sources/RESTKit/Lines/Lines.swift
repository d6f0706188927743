import Foundation
import Streams

extension Publisher where Output == Data {
  /// Splits a body in chunks into lines.
  ///
  /// A line ends only with LF or CRLF. U+2028, U+0085, a form feed and a lone CR are text. The
  /// division into chunks does not affect the lines, even inside a character or between CR and LF.
  /// The last line needs no end. The body is UTF-8. A byte order mark at its beginning is removed,
  /// as in the WHATWG's UTF-8 decode.
  ///
  /// ```marble
  /// source: --a----b--|
  /// lines()
  /// result: --w----(xy)--(z|)
  /// a = "one\ntw"
  /// b = "o\r\nthree\nfour"
  /// w = "one"
  /// x = "two"
  /// y = "three"
  /// z = "four"
  /// ```
  ///
  /// - Demand: Unlimited if the downstream demand is unlimited. Otherwise one chunk at a time; the
  ///   next chunk is requested when all lines of the last one are delivered.
  /// - Errors: The upstream's failure, after all complete lines; the rest of an incomplete line is
  ///   dropped. ``RESTError`` of kind ``RESTError/Kind/malformedResponse`` if a line exceeds the
  ///   limit, or, with ``InvalidUTF8/fail``, if it is not UTF-8. Its underlying error is a
  ///   ``LineError`` with the line's number. If the chunks are those of a verb's response, the
  ///   error names the request.
  /// - Completion: When the upstream has finished and all lines are delivered.
  /// - Cancellation: Cancels the upstream and drops undelivered lines.
  /// - Delivery: On the thread on which the upstream delivers or the demand arrives.
  /// - Complexity: O(n) in the number of bytes, for any division into chunks. The operator keeps
  ///   one chunk and the bytes of an incomplete line.
  ///
  /// - Parameters:
  ///   - limit: The maximum length of a line in bytes, without its end.
  ///   - invalidUTF8: The treatment of bytes that are not UTF-8.
  public func lines(
    limit: Int = 1 << 20, invalidUTF8: InvalidUTF8 = .replace
  ) -> AnyPublisher<String, any Error> {
    let splitter = LineSplitter(limit: limit, invalidUTF8: invalidUTF8)
    return bodyChunks.namingRequest { chunks, _ in
      chunks.through(splitter).eraseToAnyPublisher()
    }
  }
}

extension Publisher where Output == TransferEvent {
  /// Splits a response that arrives as
  /// ``RESTAPI/events(_:endpoint:query:headers:body:authorization:requestModifier:)`` into lines.
  ///
  /// It works as `lines` of chunks. The body counts as UTF-8, regardless of the charset in its
  /// head. Any status passes; put `validateStatus()` before this operator to get lines of a 2xx
  /// response only.
  ///
  /// - Parameters:
  ///   - limit: The maximum length of a line in bytes, without its end.
  ///   - invalidUTF8: The treatment of bytes that are not UTF-8.
  public func lines(
    limit: Int = 1 << 20, invalidUTF8: InvalidUTF8 = .replace
  ) -> AnyPublisher<String, any Error> {
    let splitter = LineSplitter(limit: limit, invalidUTF8: invalidUTF8)
    return mapError { $0 as any Error }
      .namingRequest { events, _ in events.bodyParts(by: splitter) }
  }
}

/// A splitter that makes strings of a body's lines.
private struct LineSplitter: Publishers.Splitter {
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

/// The treatment of bytes in a line that are not UTF-8.
public enum InvalidUTF8: Sendable, Hashable {
  /// Each maximal part of a sequence becomes U+FFFD, as in the WHATWG's decoder (Encoding, 8.1.1).
  case replace
  /// The line fails.
  case fail
}

extension UnsafeBufferPointer<UInt8> {
  /// The position of the first byte at which the text is not UTF-8.
  var placeOfInvalidUTF8: Int? {
    var (decoder, bytes, place) = (UTF8(), makeIterator(), 0)
    while true {
      switch decoder.decode(&bytes) {
      case .scalarValue(let scalar): place += UTF8.width(scalar)
      case .emptyInput: return nil
      case .error: return place
      }
    }
  }
}
