/// What the body of one response has cost so far, held against its limits.
struct BodyMeter: Sendable {
  private let limits: TransportLimits
  private let isCollected: Bool
  private var encodedBytes = 0
  private var decodedBytes = 0

  /// - Parameter isCollected: Whether the whole body is kept in memory, so that the limits on whole
  ///   bodies count.
  init(_ limits: TransportLimits, isCollected: Bool) {
    self.limits = limits
    self.isCollected = isCollected
  }

  /// Whether bytes have come.
  var hasBegun: Bool { encodedBytes > 0 }

  /// Counts bytes as they came.
  mutating func take(encoded count: Int) {
    encodedBytes += count
  }

  /// Looks at how many bytes of an encoded body came: a coding makes nothing much longer than it was,
  /// but what it adds may be without end.
  ///
  /// - Throws: A fault of kind `limitExceeded` where so many cannot become less than is allowed.
  func checkEncoded(status: Int?) throws(TransportError) {
    let bodyLimit = limits.bodyLimit(status: status ?? 0)
    let overhead = encodedBytes / 1_000 + 1_024
    guard !isCollected || encodedBytes - overhead <= bodyLimit.bytes else {
      throw fault(bodyLimit.kind, "more than \(bodyLimit.bytes) bytes of encoded body", status)
    }
  }

  /// Counts what the bytes that came have become.
  ///
  /// - Throws: A fault of kind `limitExceeded` where that is too much.
  mutating func take(decoded count: Int, status: Int?) throws(TransportError) {
    decodedBytes += count
    let bodyLimit = limits.bodyLimit(status: status ?? 0)
    guard !isCollected || decodedBytes <= bodyLimit.bytes else {
      throw fault(bodyLimit.kind, "more than \(bodyLimit.bytes) bytes of decoded body", status)
    }
    guard limits.allows(decodedBytes: decodedBytes, of: encodedBytes) else {
      throw fault(.expansionRatio, "more than \(limits.expansionRatio) bytes for each", status)
    }
  }

  private func fault(
    _ limit: TransportError.Limit, _ detail: String, _ status: Int?
  ) -> TransportError {
    .afterSending(.limitExceeded(limit), detail, status: status)
  }
}
