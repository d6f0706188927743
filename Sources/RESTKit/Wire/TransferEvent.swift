import Foundation

/// A step of an exchange in pieces: the progress of the request's body, then the response's head, then its
/// body in chunks.
public enum TransferEvent: Sendable {
  /// The bytes of the request's body sent so far. A request without a body has no such event.
  ///
  /// A server may respond before it has read the whole body, so this event may come after the head.
  case sent(TransferProgress)
  /// The status and the header fields. This event comes once.
  case head(ResponseHead)
  /// The next bytes of the decoded body; never empty.
  case chunk(Data)
}

extension TransferEvent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The step.
  ///
  /// Of a chunk, it shows only the length.
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
