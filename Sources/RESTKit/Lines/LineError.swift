/// A fault in a line of a body, with the line's number.
///
/// It is the ``RESTError/underlyingError`` of a ``RESTError`` with which `lines` or `decodeLines`
/// fails.
///
/// It contains nothing of the line's text.
public struct LineError: Error, Sendable {
  /// The class of the fault.
  public enum Kind: Sendable, Hashable {
    /// The line exceeds this limit in bytes, which the operator received.
    case tooLong(limit: Int)
    /// The data of the line's event exceeds this limit in bytes.
    case eventTooLong(limit: Int)
    /// The line is not UTF-8. The offset is the position of the first invalid byte in the line,
    /// from zero.
    case invalidUTF8(offset: Int)
    /// The line is not JSON, or is cut.
    case malformed
    /// The line is JSON of another shape.
    case undecodable
  }

  /// The class of the fault.
  public let kind: Kind
  /// The number of the line from 1, including empty lines.
  ///
  /// In `application/json-seq`, it is the number of the record.
  public let line: Int
  /// The decoder's error, if the decoder ran.
  public let underlyingError: (any Error)?

  init(_ kind: Kind, line: Int, underlyingError: (any Error)? = nil) {
    self.kind = kind
    self.line = line
    self.underlyingError = underlyingError
  }
}

extension LineError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  public var description: String { "line \(line): \(kind)" }

  public var debugDescription: String { description }

  // A decoder's error may quote the line.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
