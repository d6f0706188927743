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
