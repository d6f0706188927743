/// What is wrong with a line of a body, and which line it is: the ``RESTError/underlyingError`` of a
/// ``RESTError`` that `lines` or `decodeLines` fails with.
///
/// It has nothing of the line's text.
public struct LineError: Error, Sendable {
  /// The class of the fault.
  public enum Kind: Sendable, Hashable {
    /// The line has more bytes than this limit, which the operator was given.
    case tooLong(limit: Int)
    /// The data of the event to which the line belongs has more bytes than this limit.
    case eventTooLong(limit: Int)
    /// The line is not UTF-8: the first byte that is not has this place in it, from zero.
    case invalidUTF8(offset: Int)
    /// The line is not JSON, or is cut.
    case malformed
    /// The line is JSON of another shape.
    case undecodable
  }

  /// The class of the fault.
  public let kind: Kind
  /// The number of the line, from 1, those that are empty included; in `application/json-seq`, that of the
  /// record.
  public let line: Int
  /// What the decoder threw, if it was asked.
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

  // What a decoder throws may quote the line.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
