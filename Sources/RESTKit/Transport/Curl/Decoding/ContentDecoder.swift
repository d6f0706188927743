#if os(Linux)
  internal import CCurl

  /// A decoder for the content codings of one response (RFC 9110 §8.4), which detects an incomplete body.
  final class ContentDecoder {
    /// The value of `Accept-Encoding`.
    static let acceptedCodings: String = czlib_load() != 0 ? "gzip, deflate" : "identity"

    /// The inflaters in the order of decoding: the coding that was applied last comes first.
    private let inflaters: [Inflater]
    private var budget: InflationBudget
    private var hasBegun = false

    /// - Returns: nil if the body is not encoded.
    /// - Throws: `.undecodableBody` for a coding that was not requested, and for too many codings.
    init?(_ headers: HTTPHeaders, limits: TransportLimits) throws(TransportError) {
      let codings = headers.contentCodings
      guard codings.count <= HTTPHeaders.mostContentCodings else {
        throw .afterSending(
          .undecodableBody, "it has more than \(HTTPHeaders.mostContentCodings) content encodings")
      }
      var inflaters: [Inflater] = []
      for coding in codings.reversed() {
        switch coding {
        case "gzip", "x-gzip": inflaters.append(Inflater(.gzip))
        case "deflate": inflaters.append(Inflater(.deflate))
        default: throw .afterSending(.undecodableBody, "its content encoding was not requested")
        }
      }
      guard !inflaters.isEmpty else { return nil }
      self.inflaters = inflaters
      budget = InflationBudget(limits, stages: inflaters.count)
    }

    /// Takes the next bytes of the encoded body, and passes the decoded bytes to `sink`.
    ///
    /// - Parameters:
    ///   - isWanted: A check that runs repeatedly during the work. Its fault ends the work.
    ///   - sink: The receiver of decoded bytes. Its fault ends the work.
    /// - Throws: `.undecodableBody` if the bytes do not match the header, `.limitExceeded` if the decoded
    ///   bytes exceed a limit.
    func push(
      _ bytes: UnsafeRawBufferPointer,
      while isWanted: () throws(TransportError) -> Void = {},
      _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
      if !bytes.isEmpty { hasBegun = true }
      budget.begin(encoded: bytes.count)
      try push(bytes, stage: 0, while: isWanted, sink)
    }

    /// The fault of a body that ends here, or nil if it is complete.
    ///
    /// A body without bytes is complete.
    var faultAtEnd: TransportError? {
      guard hasBegun, !inflaters.allSatisfy(\.isAtEnd) else { return nil }
      return .afterSending(.bodyCut, "its compressed data end early")
    }

    private func push(
      _ bytes: UnsafeRawBufferPointer, stage: Int,
      while isWanted: () throws(TransportError) -> Void,
      _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
      guard stage < inflaters.count else { return try sink(bytes) }
      try inflaters[stage].push(bytes) { (taken, piece) throws(TransportError) in
        try budget.take(taken, making: piece.count, at: stage)
        try isWanted()
        if !piece.isEmpty { try push(piece, stage: stage + 1, while: isWanted, sink) }
      }
    }
  }
#endif
