import Foundation
import Streams

extension Publisher where Output == Data {
  /// Decodes the JSON texts of a body in chunks: NDJSON, JSON Lines, `application/json-seq`.
  ///
  /// Each line is one text. A line that contains only blanks is ignored. Lines end as in `lines`. A
  /// record of ``JSONLinesFormat/textSequence`` ends with the line feed after its text, or with the
  /// separator of the next record.
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
  /// - Demand: Unlimited if the downstream demand is unlimited. Otherwise one chunk at a time; the
  ///   next chunk is requested when all values of the last one are delivered. A line is decoded
  ///   when its value is requested.
  /// - Errors: The upstream's failure, after the values of all complete lines. ``RESTError`` with
  ///   the line's number and, in its text, the position in the line: of kind
  ///   ``RESTError/Kind/malformedResponse`` if a line is not JSON or exceeds the limit, and of kind
  ///   ``RESTError/Kind/decoding`` if it is JSON of another shape. Its ``RESTError/body`` is the
  ///   line. Its ``RESTError/underlyingError`` is a ``LineError`` with the number and the decoder's
  ///   error. If the chunks are those of a verb's response, each error names the request.
  /// - Completion: When the upstream has finished and all values are delivered.
  /// - Cancellation: Cancels the upstream and drops undelivered lines.
  /// - Delivery: On the thread on which the upstream delivers or the demand arrives. The decoder
  ///   and `skip` run there, too.
  /// - Complexity: O(n) in the number of bytes, plus the decoder's work for each line.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder for each line; nil for that of the API, or a plain one if the API has
  ///     none.
  ///   - format: The format of the body.
  ///   - limit: The maximum length of a line in bytes. A longer line is never skipped.
  ///   - skip: A closure that receives the error of each line that does not decode; the line is
  ///     then skipped. With nil, the first such line fails the stream.
  public func decodeLines<Item: Decodable & Sendable>(
    of type: Item.Type, decoder: JSONDecoder? = nil,
    format: JSONLinesFormat = .newlineDelimited, limit: Int = 1 << 20,
    skippingInvalid skip: (@Sendable (RESTError) -> Void)? = nil
  ) -> AnyPublisher<Item, any Error> {
    bodyChunks.namingRequest { chunks, request in
      let (skip, decoder) = (request.naming(skip), StreamDecoder(decoder, of: request))
      return switch format {
      case .newlineDelimited:
        chunks
          .through(JSONLineSplitter(LineFeeds(), limit: limit, decoder: decoder, skip: skip))
          .eraseToAnyPublisher()
      case .textSequence:
        chunks
          .through(JSONLineSplitter(JSONRecords(), limit: limit, decoder: decoder, skip: skip))
          .eraseToAnyPublisher()
      }
    }
  }
}

extension Publisher where Output == TransferEvent {
  /// Decodes the JSON texts of a response that arrives as
  /// ``RESTAPI/events(_:endpoint:query:headers:body:authorization:requestModifier:)``, if its
  /// status is 200...299.
  ///
  /// It works as `decodeLines` of chunks. Another status fails as with `validateStatus()`, with the
  /// body in the error.
  ///
  /// - Parameters:
  ///   - type: The type to decode.
  ///   - decoder: The decoder for each line; nil for that of the API, or a plain one if the API has
  ///     none.
  ///   - format: The format of the body.
  ///   - limit: The maximum length of a line in bytes. A longer line is never skipped.
  ///   - skip: A closure that receives the error of each line that does not decode; the line is
  ///     then skipped. With nil, the first such line fails the stream.
  public func decodeLines<Item: Decodable & Sendable>(
    of type: Item.Type, decoder: JSONDecoder? = nil,
    format: JSONLinesFormat = .newlineDelimited, limit: Int = 1 << 20,
    skippingInvalid skip: (@Sendable (RESTError) -> Void)? = nil
  ) -> AnyPublisher<Item, any Error> {
    validateStatus().namingRequest { events, request in
      let (skip, decoder) = (request.naming(skip), StreamDecoder(decoder, of: request))
      return switch format {
      case .newlineDelimited:
        events.bodyParts(
          by: JSONLineSplitter(LineFeeds(), limit: limit, decoder: decoder, skip: skip))
      case .textSequence:
        events.bodyParts(
          by: JSONLineSplitter(JSONRecords(), limit: limit, decoder: decoder, skip: skip))
      }
    }
  }
}

/// The format of a body with one JSON text after another.
public enum JSONLinesFormat: Sendable, Hashable {
  /// One text per line, ended by LF or CRLF: NDJSON, JSON Lines. The last line needs no end.
  case newlineDelimited
  /// `application/json-seq` (RFC 7464): a record separator, U+001E, before each text and a line
  /// feed after it.
  case textSequence
}
