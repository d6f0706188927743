/// The format of a body with one JSON text after another.
public enum JSONLinesFormat: Sendable, Hashable {
  /// One text per line, ended by LF or CRLF: NDJSON, JSON Lines. The last line needs no end.
  case newlineDelimited
  /// `application/json-seq` (RFC 7464): a record separator, U+001E, before each text and a line feed after
  /// it.
  case textSequence
}
