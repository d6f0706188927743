#if os(Linux)
  /// The limits on decoding one response, relative to its received bytes.
  ///
  /// A coding inside a coding can grow without any output of content. Therefore the output of each stage
  /// counts, not only that of the last one.
  struct InflationBudget: Sendable {
    /// The maximum output of all stages for one call of `begin`.
    ///
    /// A single stage always stays below it: deflate makes at most 1,032 bytes of one, and libcurl delivers
    /// 16 KiB at a time.
    static let bytesPerCall = 64 << 20
    /// The maximum input of a stage without any output.
    ///
    /// An empty deflate block takes five bytes, and an empty gzip member takes twenty.
    static let silentBytes = 1 << 20

    private let limits: TransportLimits
    private var encodedBytes: Int64 = 0
    private var bytesOfCall = 0
    /// The output of each stage, and its input since the last output.
    private var stages: [(made: Int64, silent: Int)]

    init(_ limits: TransportLimits, stages count: Int) {
      self.limits = limits
      stages = Array(repeating: (0, 0), count: count)
    }

    /// Begins with the next received bytes.
    mutating func begin(encoded count: Int) {
      encodedBytes += Int64(count)
      bytesOfCall = 0
    }

    /// Counts the input and output of one stage.
    ///
    /// - Throws: A fault of kind `limitExceeded` or `undecodableBody` if a limit is exceeded.
    mutating func take(_ taken: Int, making made: Int, at stage: Int) throws(TransportError) {
      bytesOfCall += made
      stages[stage].made += Int64(made)
      stages[stage].silent = made > 0 ? 0 : stages[stage].silent + taken
      guard limits.allows(decodedBytes: stages[stage].made, of: encodedBytes) else {
        throw Self.ratio("more than \(limits.expansionRatio) bytes for each byte received")
      }
      guard bytesOfCall <= Self.bytesPerCall else {
        throw Self.ratio("more than \(Self.bytesPerCall) decoded bytes from one piece")
      }
      guard stages[stage].silent <= Self.silentBytes else {
        throw .afterSending(
          .undecodableBody, "more than \(Self.silentBytes) bytes of it decode to nothing")
      }
    }

    private static func ratio(_ detail: String) -> TransportError {
      .afterSending(.limitExceeded(.expansionRatio), detail)
    }
  }
#endif
