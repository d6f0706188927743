/// How much of a body has gone its way.
public struct TransferProgress: Sendable, Hashable {
  /// The bytes so far, those of an earlier attempt that is resumed included.
  public let completedBytes: Int64
  /// The bytes in all; nil where that is not known.
  public let totalBytes: Int64?

  public init(completedBytes: Int64, totalBytes: Int64?) {
    self.completedBytes = completedBytes
    self.totalBytes = totalBytes
  }

  /// The part that is done, 0 to 1; nil where the whole is not known.
  ///
  /// An empty body is done from the start.
  public var fractionCompleted: Double? {
    guard let totalBytes else { return nil }
    guard totalBytes > 0 else { return 1 }
    return min(max(Double(completedBytes) / Double(totalBytes), 0), 1)
  }
}

extension TransferProgress: CustomStringConvertible {
  /// Such as `512 of 2048 bytes`.
  public var description: String {
    "\(completedBytes)\(totalBytes.map { " of \($0)" } ?? "") bytes"
  }
}
