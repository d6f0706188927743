import HTTPWire

/// The size of one response's body so far, checked against its limits.
package struct BodyMeter: Sendable {
  private let limits: TransportLimits
  private let isCollected: Bool
  /// The number of received bytes.
  private(set) var encodedBytes: Int64 = 0
  private var decodedBytes: Int64 = 0

  /// - Parameter isCollected: Whether the whole body is kept in memory, so that the limits on whole
  ///   bodies apply.
  package init(_ limits: TransportLimits, isCollected: Bool) {
    self.limits = limits
    self.isCollected = isCollected
  }

  /// Whether any bytes have arrived.
  var hasBegun: Bool { encodedBytes > 0 }

  /// Counts bytes as received.
  package mutating func take(encoded count: Int) {
    encodedBytes += Int64(count)
  }

  /// Checks the number of encoded bytes.
  ///
  /// A coding makes no content much longer, but it may add data without end.
  ///
  /// - Throws: A fault of kind `limitExceeded` if the decoded body would certainly exceed the
  ///   limit.
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
  package mutating func take(decoded count: Int, status: Int?) throws(TransportError) {
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

/// Checks that a response's head is unambiguous about the length of its body.
///
/// Otherwise two readers could see two different messages on one connection.
enum ResponseFraming {
  /// Returns the fault of a head that is ambiguous about its body: its `Content-Length` is not a
  /// number, its lines name different lengths (RFC 9112 §6.3, item 5), or it has a
  /// `Transfer-Encoding` other than `chunked`, the only one that this client's requests allow
  /// (§6.1, RFC 9110 §10.1.4).
  ///
  /// The same length several times counts as one length.
  static func fault(of headers: HTTPHeaders) -> TransportError? {
    let codings = headers.values(for: "Transfer-Encoding")
    guard codings.isEmpty || codings.count == 1 && codings[0].lowercased() == "chunked" else {
      return malformed("its Transfer-Encoding is not only chunked")
    }
    return faultOfLength(headers)
  }

  /// Returns the fault of a switch to a protocol that was not requested (RFC 9110 §7.8); nil for
  /// other heads.
  static func faultOfSwitch(status: Int) -> TransportError? {
    status == 101
      ? malformed("it switches to another protocol, which was not requested") : nil
  }

  /// Returns the fault of an interim head that frames a body (RFC 9110 §8.6, RFC 9112 §6.1), or of
  /// a switch to a protocol that was not requested; nil for other heads.
  static func faultOfInterim(status: Int, _ headers: HTTPHeaders) -> TransportError? {
    if let fault = faultOfSwitch(status: status) { return fault }
    guard !headers.contains("Transfer-Encoding"), !headers.contains("Content-Length") else {
      return malformed("an interim head announces a body")
    }
    return nil
  }

  private static func faultOfLength(_ headers: HTTPHeaders) -> TransportError? {
    var known: Int64?
    for (name, line) in headers where HTTPHeaders.isSameName(name, "Content-Length") {
      if known == nil, let length = Int64(digits: Substring(line)) {
        known = length
        continue
      }
      for part in line.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
        guard let length = Int64(digits: Substring(part).trimmingBlanks) else {
          return malformed("its Content-Length is not a number")
        }
        guard known == nil || known == length else {
          return malformed("its head names two different lengths")
        }
        known = length
      }
    }
    return nil
  }

  static func malformed(_ detail: String) -> TransportError {
    .afterSending(.malformedResponse, detail)
  }
}
