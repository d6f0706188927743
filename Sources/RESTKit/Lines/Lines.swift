import Foundation
import Streams

extension Publisher where Output == Data {
  /// Gives the lines of a body that comes in chunks.
  ///
  /// A line ends with LF or CRLF and with nothing else: U+2028, U+0085, a form feed and a lone CR are text. It
  /// is the same line wherever chunks are cut, inside of a character or between CR and LF too. The last one
  /// needs no end. The body is UTF-8; a byte order mark at its beginning is left out, as the WHATWG's UTF-8
  /// decode has it.
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
  /// - Demand: Everything where the downstream asks for everything; else one chunk at a time, the next when
  ///   all lines of the one before are delivered.
  /// - Errors: The upstream's failure, after the lines that are whole; what is left of the last is
  ///   dropped. ``RESTError`` of kind ``RESTError/Kind/malformedResponse`` where a line is longer than
  ///   the limit, or is not UTF-8 if that is asked, with a ``LineError`` behind it that has the line's number.
  /// - Completion: When the upstream has finished and all lines are delivered.
  /// - Cancellation: Cancels the upstream; lines that wait are dropped.
  /// - Delivery: Where the upstream delivers, or where demand comes.
  /// - Complexity: O(n) in the number of bytes, however they are cut. What is kept is one chunk, and what came
  ///   of a line that no chunk has ended.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of a line, without its end.
  ///   - invalidUTF8: What becomes of bytes that are not UTF-8.
  public func lines(
    limit: Int = 1 << 20, invalidUTF8: InvalidUTF8 = .replace
  ) -> AnyPublisher<String, any Error> {
    bodyChunks.through(LineSplitter(limit: limit, invalidUTF8: invalidUTF8)).eraseToAnyPublisher()
  }
}

extension Publisher where Output == TransferEvent {
  /// Gives the lines of a response that comes as ``RESTAPI/events(_:endpoint:query:headers:body:authorization:requestModifier:)``.
  ///
  /// As `lines` of chunks. The body is taken for UTF-8, whatever charset its head names. Any status is a value:
  /// put `validateStatus()` before it to have lines of a 2xx alone.
  ///
  /// - Parameters:
  ///   - limit: The most bytes of a line, without its end.
  ///   - invalidUTF8: What becomes of bytes that are not UTF-8.
  public func lines(
    limit: Int = 1 << 20, invalidUTF8: InvalidUTF8 = .replace
  ) -> AnyPublisher<String, any Error> {
    bodyChunks.through(LineSplitter(limit: limit, invalidUTF8: invalidUTF8)).eraseToAnyPublisher()
  }
}
