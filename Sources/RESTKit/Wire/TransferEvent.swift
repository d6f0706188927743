import Foundation

/// A step of an exchange that goes bit by bit: what was sent of the body, then the response's head,
/// then its body in chunks.
public enum TransferEvent: Sendable {
  /// So much of the request's body has gone out; never for a request without one.
  ///
  /// A server may answer before it has read all of a body, so this may come behind the head.
  case sent(TransferProgress)
  /// The status and the headers: once.
  case head(ResponseHead)
  /// The next bytes of the decoded body; never empty.
  case chunk(Data)
}

extension TransferEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The step; of a chunk only how long it is.
  public var description: String {
    switch self {
    case .sent(let progress): "sent \(progress)"
    case .head(let head): "head \(head)"
    case .chunk(let data): "chunk of \(data.count) bytes"
    }
  }

  public var debugDescription: String { description }

  // `dump` would print the bytes.
  public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
}
