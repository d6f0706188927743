/// The size of one response's header lines so far, checked against their limits.
struct HeadMeter: Sendable {
  private let limits: TransportLimits
  private var bytes = 0
  private var lines = 0

  init(_ limits: TransportLimits) {
    self.limits = limits
  }

  /// Counts the bytes of lines, including their line breaks.
  ///
  /// - Returns: The exceeded limit, or nil.
  @inline(__always) mutating func take(bytes count: Int) -> TransportError.Limit? {
    bytes += count
    return bytes > limits.headerBytes ? .headerBytes : nil
  }

  /// Counts lines.
  ///
  /// - Returns: The exceeded limit, or nil.
  @inline(__always) mutating func take(lines count: Int) -> TransportError.Limit? {
    lines += count
    return lines > limits.headerCount ? .headerCount : nil
  }

  /// Counts the lines of a whole head.
  ///
  /// - Returns: The exceeded limit, or nil.
  mutating func take(_ headers: HTTPHeaders) -> TransportError.Limit? {
    // Each line also has a colon, a blank and a line break.
    take(lines: headers.count)
      ?? take(bytes: headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 })
  }

  /// Returns the fault of a response that exceeds a limit.
  func fault(_ limit: TransportError.Limit, status: Int?) -> TransportError {
    .afterSending(
      .limitExceeded(limit),
      limit == .headerCount
        ? "more than \(limits.headerCount) header lines"
        : "more than \(limits.headerBytes) bytes of headers",
      status: status)
  }
}
