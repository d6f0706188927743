/// The size of one response's body so far, checked against its limits.
struct BodyMeter: Sendable {
  private let limits: TransportLimits
  private let isCollected: Bool
  /// The number of received bytes.
  private(set) var encodedBytes: Int64 = 0
  private var decodedBytes: Int64 = 0

  /// - Parameter isCollected: Whether the whole body is kept in memory, so that the limits on whole bodies
  ///   apply.
  init(_ limits: TransportLimits, isCollected: Bool) {
    self.limits = limits
    self.isCollected = isCollected
  }

  /// Whether any bytes have arrived.
  var hasBegun: Bool { encodedBytes > 0 }

  /// Counts bytes as received.
  mutating func take(encoded count: Int) {
    encodedBytes += Int64(count)
  }

  /// Checks the number of encoded bytes.
  ///
  /// A coding makes no content much longer, but it may add data without end.
  ///
  /// - Throws: A fault of kind `limitExceeded` if the decoded body would certainly exceed the limit.
  func checkEncoded(status: Int?) throws(TransportError) {
    let bodyLimit = limits.bodyLimit(status: status ?? 0)
    let overhead = encodedBytes / 1_000 + 1_024
    guard !isCollected || encodedBytes - overhead <= Int64(bodyLimit.bytes) else {
      throw fault(bodyLimit.kind, "more than \(bodyLimit.bytes) bytes of encoded body", status)
    }
  }

  /// Counts decoded bytes.
  ///
  /// - Throws: A fault of kind `limitExceeded` if they exceed a limit.
  mutating func take(decoded count: Int, status: Int?) throws(TransportError) {
    decodedBytes += Int64(count)
    let bodyLimit = limits.bodyLimit(status: status ?? 0)
    guard !isCollected || decodedBytes <= Int64(bodyLimit.bytes) else {
      throw fault(bodyLimit.kind, "more than \(bodyLimit.bytes) bytes of decoded body", status)
    }
    guard limits.allows(decodedBytes: decodedBytes, of: encodedBytes) else {
      throw fault(
        .expansionRatio, "more than \(limits.expansionRatio) bytes for each byte received", status)
    }
  }

  private func fault(
    _ limit: TransportError.Limit, _ detail: String, _ status: Int?
  ) -> TransportError {
    .afterSending(.limitExceeded(limit), detail, status: status)
  }
}
