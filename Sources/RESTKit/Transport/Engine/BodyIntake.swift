/// The body of one response as it comes in: what it costs, and what undoes its content coding.
struct BodyIntake {
  private let limits: TransportLimits
  private var meter: BodyMeter
  #if os(Linux)
    private var decoder: ContentDecoder?
  #endif

  /// - Parameter isCollected: Whether the whole body is kept in memory, so that the limits on whole
  ///   bodies count.
  init(_ limits: TransportLimits, isCollected: Bool) {
    self.limits = limits
    meter = BodyMeter(limits, isCollected: isCollected)
  }

  /// Whether bytes have come.
  var hasBegun: Bool { meter.hasBegun }

  #if os(Linux)
    /// The fault of a body that ends here although its compressed data do not; nil where all of it came.
    var faultAtEnd: TransportError? { decoder?.faultAtEnd }

    /// Counts the next bytes as they came.
    ///
    /// - Returns: What undoes their coding; each piece that it makes is to be counted with
    ///   `take(decoded:status:)`. Nil where there is none: then they are counted already.
    /// - Throws: A fault of kind `limitExceeded`, or `undecodableBody` for a coding that was not asked for.
    mutating func take(
      _ count: Int, behind headers: HTTPHeaders, status: Int?
    ) throws(TransportError) -> ContentDecoder? {
      // Not before there is a body: a HEAD's head may name any coding.
      if !meter.hasBegun, headers.contains("Content-Encoding") {
        decoder = try ContentDecoder(headers, limits: limits)
      }
      meter.take(encoded: count)
      guard let decoder else {
        try meter.take(decoded: count, status: status)
        return nil
      }
      try meter.checkEncoded(status: status)
      return decoder
    }
  #else
    /// Counts the next bytes as they came.
    ///
    /// - Throws: A fault of kind `limitExceeded`, or `undecodableBody` for a coding that was not asked for.
    mutating func take(
      _ count: Int, behind headers: HTTPHeaders, status: Int?
    ) throws(TransportError) {
      guard meter.hasBegun || headers.contentCodings.isEmpty else {
        throw .afterSending(.undecodableBody, "it is encoded with what was not asked for")
      }
      meter.take(encoded: count)
      try meter.take(decoded: count, status: status)
    }
  #endif

  /// Counts what bytes have become.
  mutating func take(decoded count: Int, status: Int?) throws(TransportError) {
    try meter.take(decoded: count, status: status)
  }
}

extension HTTPHeaders {
  /// Of content codings no more are taken: each one multiplies what a byte may cost.
  static var mostContentCodings: Int { 2 }

  /// The content codings of a body, in the order in which they were applied (RFC 9110 §8.4.1), in lower
  /// case; `identity` is none.
  var contentCodings: [String] {
    values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { $0.filter { !$0.isWhitespace }.lowercased() }
      .filter { !["", "identity"].contains($0) }
  }
}
