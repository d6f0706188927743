import Foundation

/// A piece of a response that arrives bit by bit.
public enum ResponseEvent: Sendable {
  /// The status and the headers: first, and once.
  case head(ResponseHead)
  /// The next bytes of the decoded body; never empty.
  case chunk(Data)
}
