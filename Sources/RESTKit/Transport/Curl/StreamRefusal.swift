#if os(Linux)
  /// A record of whether an HTTP/2 server reported a request as not processed: it refused the stream, or
  /// named an earlier last stream when it closed the connection (RFC 9113 §6.8, §8.7).
  ///
  /// libcurl reports this only in messages.
  struct StreamRefusal {
    /// Whether the server reported that.
    private(set) var isKnown = false
    private var stream: Int?

    mutating func note(_ words: String) {
      if words.hasPrefix("REFUSED_STREAM") {
        isKnown = true
      } else if let number = Self.number(behind: "Using Stream ID: ", in: words) {
        stream = number
      } else if words.contains("GOAWAY"), let stream,
        let last = Self.number(behind: "last_stream=", in: words)
      {
        isKnown = stream > last
      }
    }

    private static func number(behind label: String, in words: String) -> Int? {
      guard let range = words.firstRange(of: label) else { return nil }
      return Int(words[range.upperBound...].prefix { $0.isASCII && $0.isNumber })
    }
  }
#endif
