import Foundation
import Streams

extension Publisher where Output == Data {
  /// Decodes the JSON texts of a body that comes in chunks: NDJSON, JSON Lines, `application/json-seq`.
  ///
  /// Each line is a text, and one of nothing but blanks is passed over. Lines are cut as `lines` cuts them;
  /// records of ``JSONLinesFormat/textSequence`` end with the line feed behind their text, or with the next
  /// record's separator.
  ///
  /// ```marble
  /// source: --a----b--|
  /// decodeLines(of: Int.self)
  /// result: --1----(23)--|
  /// a = "1\n"
  /// b = "2\n\n3\n"
  /// ```
  ///
  /// A line that does not decode fails the stream, unless `skip` is given:
  ///
  /// ```marble
  /// source: --a----b--|
  /// decodeLines(of: Int.self)
  /// result: --1----#
  /// a = "1\n"
  /// b = "?\n3\n"
  /// ```
  ///
  /// - Demand: Everything where the downstream asks for everything; else one chunk at a time, the next when
  ///   all values of the one before are delivered. A line is decoded when its value is asked for.
  /// - Errors: The upstream's failure, after the values of lines that are whole. ``RESTError`` with the line's
  ///   number and, in its text, the place in it: of kind ``RESTError/Kind/malformedResponse`` where a line is
  ///   not JSON or longer than the limit, and of kind ``RESTError/Kind/decoding`` where it is JSON of another
  ///   shape. Its ``RESTError/body`` is the line, and its ``RESTError/underlyingError`` a ``LineError`` with
  ///   the number, and what the decoder threw behind it.
  /// - Completion: When the upstream has finished and all values are delivered.
  /// - Cancellation: Cancels the upstream; lines that wait are dropped.
  /// - Delivery: Where the upstream delivers, or where demand comes; the decoder and `skip` run there, too.
  /// - Complexity: O(n) in the number of bytes, and the decoder's for each line.
  ///
  /// - Parameters:
  ///   - type: What to decode.
  ///   - decoder: How to decode it.
  ///   - format: How the body holds its texts.
  ///   - limit: The most bytes of a line; a longer one is never skipped.
  ///   - skip: Is told of each line that does not decode, which is left out then; nil to fail with the first.
  public func decodeLines<Item: Decodable & Sendable>(
    of type: Item.Type, decoder: JSONDecoder = JSONDecoder(),
    format: JSONLinesFormat = .newlineDelimited, limit: Int = 1 << 20,
    skippingInvalid skip: (@Sendable (RESTError) -> Void)? = nil
  ) -> AnyPublisher<Item, any Error> {
    switch format {
    case .newlineDelimited:
      bodyChunks
        .through(JSONLineSplitter(LineFeeds(), limit: limit, decoder: decoder, skip: skip))
        .eraseToAnyPublisher()
    case .textSequence:
      bodyChunks
        .through(JSONLineSplitter(JSONRecords(), limit: limit, decoder: decoder, skip: skip))
        .eraseToAnyPublisher()
    }
  }
}

extension Publisher where Output == TransferEvent {
  /// Decodes the JSON texts of a response that comes as
  /// ``RESTAPI/events(_:endpoint:query:headers:body:authorization:requestModifier:)``, once its status is 200...299.
  ///
  /// As `decodeLines` of chunks. Another status fails as `validateStatus()` does, with the body in the error.
  ///
  /// - Parameters:
  ///   - type: What to decode.
  ///   - decoder: How to decode it.
  ///   - format: How the body holds its texts.
  ///   - limit: The most bytes of a line; a longer one is never skipped.
  ///   - skip: Is told of each line that does not decode, which is left out then; nil to fail with the first.
  public func decodeLines<Item: Decodable & Sendable>(
    of type: Item.Type, decoder: JSONDecoder = JSONDecoder(),
    format: JSONLinesFormat = .newlineDelimited, limit: Int = 1 << 20,
    skippingInvalid skip: (@Sendable (RESTError) -> Void)? = nil
  ) -> AnyPublisher<Item, any Error> {
    validateStatus().bodyChunks.decodeLines(
      of: type, decoder: decoder, format: format, limit: limit, skippingInvalid: skip)
  }
}
