#if os(Linux)
  /// What undoing the content codings of one response may cost, bound to the bytes that came.
  ///
  /// A coding inside a coding can grow without a byte of content coming out of it, so what each stage
  /// puts out is counted, not only what the last one does.
  struct InflationBudget: Sendable {
    /// What all stages together may put out for one call of `begin`: one stage stays below, whatever it
    /// is given, since deflate makes at most 1,032 bytes of one and libcurl hands over 16 KiB.
    static let bytesPerCall = 64 << 20
    /// What a stage may take in without putting anything out: an empty block of deflate takes five
    /// bytes, an empty member of gzip twenty.
    static let silentBytes = 1 << 20

    private let limits: TransportLimits
    private var encodedBytes = 0
    private var bytesOfCall = 0
    /// What each stage has put out, and what it took in since.
    private var stages: [(made: Int, silent: Int)]

    init(_ limits: TransportLimits, stages count: Int) {
      self.limits = limits
      stages = Array(repeating: (0, 0), count: count)
    }

    /// Begins with the next bytes as they came.
    mutating func begin(encoded count: Int) {
      encodedBytes += count
      bytesOfCall = 0
    }

    /// Counts what one stage took in and put out.
    ///
    /// - Throws: A fault of kind `limitExceeded` or `undecodableBody` where that is too much.
    mutating func take(_ taken: Int, making made: Int, at stage: Int) throws(TransportError) {
      bytesOfCall += made
      stages[stage].made += made
      stages[stage].silent = made > 0 ? 0 : stages[stage].silent + taken
      guard limits.allows(decodedBytes: stages[stage].made, of: encodedBytes) else {
        throw Self.ratio("more than \(limits.expansionRatio) bytes for each")
      }
      guard bytesOfCall <= Self.bytesPerCall else {
        throw Self.ratio("more than \(Self.bytesPerCall) bytes out of one piece")
      }
      guard stages[stage].silent <= Self.silentBytes else {
        throw .afterSending(
          .undecodableBody, "more than \(Self.silentBytes) bytes of it hold nothing")
      }
    }

    private static func ratio(_ detail: String) -> TransportError {
      .afterSending(.limitExceeded(.expansionRatio), detail)
    }
  }
#endif
