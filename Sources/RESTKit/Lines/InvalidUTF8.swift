/// The treatment of bytes in a line that are not UTF-8.
public enum InvalidUTF8: Sendable, Hashable {
  /// Each maximal part of a sequence becomes U+FFFD, as in the WHATWG's decoder (Encoding, 8.1.1).
  case replace
  /// The line fails.
  case fail
}
