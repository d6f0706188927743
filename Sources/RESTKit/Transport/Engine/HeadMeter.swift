/// What the header lines of one response have cost so far, held against their limits.
struct HeadMeter: Sendable {
  private let limits: TransportLimits
  private var bytes = 0
  private var lines = 0

  init(_ limits: TransportLimits) {
    self.limits = limits
  }

  /// Counts bytes of lines, their line breaks among them.
  ///
  /// - Throws: A fault of kind `limitExceeded` where that is too much.
  mutating func take(bytes count: Int, status: Int?) throws(TransportError) {
    bytes += count
    guard bytes <= limits.headerBytes else {
      throw fault(.headerBytes, "more than \(limits.headerBytes) bytes of headers", status)
    }
  }

  /// Counts lines.
  ///
  /// - Throws: A fault of kind `limitExceeded` where that is too much.
  mutating func take(lines count: Int, status: Int?) throws(TransportError) {
    lines += count
    guard lines <= limits.headerCount else {
      throw fault(.headerCount, "more than \(limits.headerCount) header lines", status)
    }
  }

  /// Counts the lines of a head that came as a whole.
  ///
  /// - Throws: A fault of kind `limitExceeded` where that is too much.
  mutating func take(_ headers: HTTPHeaders, status: Int?) throws(TransportError) {
    try take(lines: headers.count, status: status)
    // A line has a colon, a blank and a line break besides.
    let bytes = headers.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
    try take(bytes: bytes, status: status)
  }

  private func fault(
    _ limit: TransportError.Limit, _ detail: String, _ status: Int?
  ) -> TransportError {
    TransportError(
      kind: .limitExceeded(limit), detail: detail, mayHaveBeenProcessed: true, statusCode: status)
  }
}
