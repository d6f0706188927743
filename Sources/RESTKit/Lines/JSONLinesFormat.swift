/// How a body holds one JSON text after another.
public enum JSONLinesFormat: Sendable, Hashable {
  /// A text on each line, ended by LF or CRLF: NDJSON, JSON Lines; the last line may be without its end.
  case newlineDelimited
  /// `application/json-seq` (RFC 7464): a record separator, U+001E, before each text and a line feed behind
  /// it.
  case textSequence
}
