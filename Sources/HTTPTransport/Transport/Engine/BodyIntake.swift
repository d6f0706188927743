import HTTPWire

/// The intake of one response's body: its size limits and its content decoding.
struct BodyIntake {
  private let limits: TransportLimits
  private let keepsUnknownCodings: Bool
  private var meter: BodyMeter
  #if os(Linux)
    private var decoder: ContentDecoder?
  #endif

  /// - Parameters:
  ///   - isCollected: Whether the whole body is kept in memory, so that the limits on whole bodies
  ///     apply.
  ///   - choosesCodings: Whether the request has an `Accept-Encoding` of its own. Its caller then
  ///     takes a body with a coding that is not decoded here as it is.
  init(_ limits: TransportLimits, isCollected: Bool, choosesCodings: Bool = false) {
    self.limits = limits
    keepsUnknownCodings = choosesCodings || limits.keepsUnknownCodings
    meter = BodyMeter(limits, isCollected: isCollected)
  }

  /// Whether any bytes have arrived.
  var hasBegun: Bool { meter.hasBegun }

  /// The number of received bytes.
  var encodedBytes: Int64 { meter.encodedBytes }

  #if os(Linux)
    /// The fault of a body that ends before its compressed data do, or nil if the data are
    /// complete.
    var faultAtEnd: TransportError? { decoder?.faultAtEnd }

    /// Counts the next bytes as received.
    ///
    /// - Returns: The decoder of the bytes; count each decoded piece with `take(decoded:status:)`.
    ///   It is nil if the body has no coding; the bytes are counted already then.
    /// - Throws: A fault of kind `limitExceeded`, or `undecodableBody` for a coding that was not
    ///   requested.
    mutating func take(
      _ count: Int, behind headers: HTTPHeaders, status: Int?
    ) throws(TransportError) -> ContentDecoder? {
      // The check waits for the first bytes: the response to a HEAD request may name any coding.
      if !meter.hasBegun, headers.contains("Content-Encoding") {
        decoder = try ContentDecoder(
          headers, limits: limits, keepsUnknown: keepsUnknownCodings)
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
    /// Counts the next bytes as received.
    ///
    /// - Throws: A fault of kind `limitExceeded`, or `undecodableBody` for a coding that was not
    ///   requested.
    mutating func take(
      _ count: Int, behind headers: HTTPHeaders, status: Int?
    ) throws(TransportError) {
      guard meter.hasBegun || keepsUnknownCodings || headers.contentCodings.isEmpty else {
        throw .afterSending(.undecodableBody, "its content encoding was not requested")
      }
      meter.take(encoded: count)
      try meter.take(decoded: count, status: status)
    }
  #endif

  #if os(Linux)
    /// Returns whether a body behind these fields is decoded, or refused because of its codings.
    func undoesCodings(of headers: HTTPHeaders) -> Bool {
      let codings = headers.contentCodings
      guard !codings.isEmpty else { return false }
      return !keepsUnknownCodings || codings.allSatisfy(ContentDecoder.isKnown)
    }
  #endif

  /// Counts decoded bytes.
  mutating func take(decoded count: Int, status: Int?) throws(TransportError) {
    try meter.take(decoded: count, status: status)
  }
}

extension HTTPHeaders {
  /// The maximum number of content codings, since each one multiplies the possible size of a byte.
  static var mostContentCodings: Int { 2 }

  /// The content codings of a body in the order of their application (RFC 9110 §8.4.1), in lower
  /// case and without `identity`.
  var contentCodings: [String] {
    values(for: "Content-Encoding").flatMap { $0.split(separator: ",") }
      .map { $0.filter { !$0.isWhitespace }.lowercased() }
      .filter { !["", "identity"].contains($0) }
  }
}
