#if os(Linux)
  internal import CCurl

  /// Undoes the content codings of one response (RFC 9110 §8.4), and knows whether all of it came.
  final class ContentDecoder {
    /// What a request says that it accepts.
    static let acceptedCodings: String = czlib_load() != 0 ? "gzip, deflate" : "identity"

    /// In the order in which they are undone: the one applied last first.
    private let inflaters: [Inflater]
    private var budget: InflationBudget
    private var hasBegun = false

    /// - Returns: nil where the body is not encoded.
    /// - Throws: `.undecodableBody` for a coding that was not asked for, and for too many.
    init?(_ headers: HTTPHeaders, limits: TransportLimits) throws(TransportError) {
      let codings = headers.contentCodings
      guard codings.count <= HTTPHeaders.mostContentCodings else {
        throw .afterSending(
          .undecodableBody, "it is encoded more than \(HTTPHeaders.mostContentCodings) times over")
      }
      var inflaters: [Inflater] = []
      for coding in codings.reversed() {
        switch coding {
        case "gzip", "x-gzip": inflaters.append(Inflater(.gzip))
        case "deflate": inflaters.append(Inflater(.deflate))
        default: throw .afterSending(.undecodableBody, "it is encoded with what was not asked for")
        }
      }
      guard !inflaters.isEmpty else { return nil }
      self.inflaters = inflaters
      budget = InflationBudget(limits, stages: inflaters.count)
    }

    /// Takes the next bytes of the encoded body in, and hands out what they become.
    ///
    /// - Parameters:
    ///   - isWanted: Asked again and again during the work, and ends it with its fault.
    ///   - sink: Takes decoded bytes, and ends the work with its fault.
    /// - Throws: `.undecodableBody` where the bytes are not what the header says, `.limitExceeded` where
    ///   they become too much.
    func push(
      _ bytes: UnsafeRawBufferPointer,
      while isWanted: () throws(TransportError) -> Void = {},
      _ sink: (UnsafeRawBufferPointer) throws(TransportError) -> Void
    ) throws(TransportError) {
      if !bytes.isEmpty { hasBegun = true }
      budget.begin(encoded: bytes.count)
      try push(bytes, stage: 0, while: isWanted, sink)
    }

    /// The fault of a body that ends here; nil where all of it came.
    ///
    /// A body of no bytes is whole.
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
