#if os(Linux)
  /// One call on its way to a connection, with the data that the submitting thread has prepared.
  final class CurlJob: Sendable {
    let request: EngineRequest
    let call: EngineCall
    let begin: ContinuousClock.Instant
    /// The scheme, host and port in lower case, without the scheme's default port.
    let origin: String
    /// Whether it uses TLS, and may therefore use HTTP/2.
    let isSecure: Bool
    /// The parsed URL, or nil if libcurl refuses it.
    let url: CurlURL?

    /// - Throws: The fault of a request that must not be sent.
    init(
      _ request: EngineRequest, _ call: EngineCall, begin: ContinuousClock.Instant,
      library: CurlLibrary
    ) throws(TransportError) {
      try request.validate()
      var request = request
      // The closure that makes a body is user code, which delays no other call on this thread.
      request.upload = try request.upload?.made()
      self.request = request
      self.call = call
      self.begin = begin
      origin = Self.origin(of: request.url)
      isSecure = request.url.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
      url = CurlURL(request.url, library)
    }

    /// The time limit for getting a connection.
    var deadline: ContinuousClock.Instant? { request.waitLimit.map { begin + $0 } }

    static func origin(of url: String) -> String {
      let bytes = url.utf8
      guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return url }
      let authority = bytes[colon...].dropFirst(3)
      let end = authority.firstIndex {
        $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
      }
      let origin = url[..<(end ?? bytes.endIndex)]
      let isSmall = !origin.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
      let small = isSmall ? String(origin) : origin.lowercased()
      let port = small.utf8.dropFirst(4).first == UInt8(ascii: "s") ? ":443" : ":80"
      return small.hasSuffix(port) ? String(small.dropLast(port.utf8.count)) : small
    }
  }
#endif
