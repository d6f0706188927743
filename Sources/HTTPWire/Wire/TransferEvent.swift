import Foundation

/// A step of an exchange in pieces: the progress of the request's body, then the response's head,
/// then its body in chunks.
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

/// A step of a download.
public enum DownloadEvent: Sendable {
  /// The bytes of the file on disk so far, including those of an earlier download.
  ///
  /// A download that has to start again counts from zero.
  case progress(TransferProgress)
  /// The last event: the file is complete and in its place.
  ///
  /// The head is that of the last response: a 200, a 206 for a file that was resumed, or a 304 for
  /// one that only had to be put in its place.
  case finished(ResponseHead)
}

/// The progress of a body's transfer.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes so far, including those of an earlier attempt that is resumed.
  public let completedBytes: Int64
  /// The total number of bytes, or nil if it is unknown.
  public let totalBytes: Int64?

  public init(completedBytes: Int64, totalBytes: Int64?) {
    self.completedBytes = completedBytes
    self.totalBytes = totalBytes
  }

  /// The completed fraction from 0 to 1, or nil if the total is unknown.
  ///
  /// An empty body is complete from the start.
  public var fractionCompleted: Double? {
    guard let totalBytes else { return nil }
    guard totalBytes > 0 else { return 1 }
    return min(max(Double(completedBytes) / Double(totalBytes), 0), 1)
  }
}

extension TransferProgress: CustomStringConvertible {
  /// A text such as `512 of 2048 bytes`.
  public var description: String {
    "\(completedBytes)\(totalBytes.map { " of \($0)" } ?? "") bytes"
  }
}
