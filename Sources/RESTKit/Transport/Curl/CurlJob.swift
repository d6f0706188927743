#if os(Linux)
  /// One call on its way to a connection: what the submitting thread knows of it.
  final class CurlJob: Sendable {
    let request: EngineRequest
    let call: EngineCall
    let begin: ContinuousClock.Instant
    /// Scheme, host and port, in small letters, without a port that the scheme means anyway.
    let origin: String
    /// Whether it goes over TLS, and so may go over HTTP/2.
    let isSecure: Bool
    /// The parsed URL; nil where libcurl refuses it.
    let url: CurlURL?

    /// - Throws: The fault of a request that must not leave.
    init(
      _ request: EngineRequest, _ call: EngineCall, begin: ContinuousClock.Instant,
      library: CurlLibrary
    ) throws(TransportError) {
      try request.validate()
      var request = request
      // What makes a body is the user's, and holds up nobody here.
      request.upload = try request.upload?.made()
      self.request = request
      self.call = call
      self.begin = begin
      origin = Self.origin(of: request.url)
      isSecure = request.url.utf8.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
      url = CurlURL(request.url, library)
    }

    /// The time until which it has to have a connection.
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
