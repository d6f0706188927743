#if os(Linux)
  /// The result codes of several options that are set in a row.
  struct CurlCodes {
    /// The first nonzero code.
    private(set) var refusal: Int32?

    static func += (codes: inout CurlCodes, code: Int32) {
      if code != 0, codes.refusal == nil { codes.refusal = code }
    }

    static func += (codes: inout CurlCodes, further: [Int32]) {
      for code in further { codes += code }
    }
  }
#endif
