#if os(Linux)
  import HTTPWire
  internal import CCurl

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

    private init(_ job: CurlJob, sending request: EngineRequest) {
      self.request = request
      (call, begin, origin) = (job.call, job.begin, job.origin)
      (isSecure, url) = (job.isSecure, job.url)
    }

    /// Returns the job as it begins after a wait for its place; nil if its request is held back.
    ///
    /// It asks the request's sender, with no lock held.
    func beginning() -> CurlJob? {
      guard request.lastLook != nil else { return self }
      var request = request
      guard request.takeLastLook() else { return nil }
      return CurlJob(self, sending: request)
    }

    /// Whether it may share a connection of HTTP/2: it uses TLS, and has no large body.
    var mayShare: Bool {
      isSecure && request.upload == nil
        && (request.body?.count ?? 0) <= CurlTransfer.maxMultiplexedBody
    }

    /// The time limit for getting a connection.
    var deadline: ContinuousClock.Instant? { request.waitLimit.map { begin + $0 } }

    static func origin(of url: String) -> String {
      var url = url
      return url.withUTF8 { bytes in
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else {
          return String(decoding: bytes, as: UTF8.self)
        }
        let end = bytes[colon...].dropFirst(3).firstIndex {
          $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#")
        }
        var origin = bytes[..<(end ?? bytes.endIndex)]
        let isSecure = origin.dropFirst(4).first.map { $0 | 0x20 } == UInt8(ascii: "s")
        let port = (isSecure ? ":443" : ":80").utf8
        if origin.suffix(port.count).elementsEqual(port) { origin = origin.dropLast(port.count) }
        let text = String(decoding: origin, as: UTF8.self)
        return origin.contains { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }
          ? text.lowercased() : text
      }
    }
  }

  /// A URL parsed by libcurl, so that the leader need not parse it.
  ///
  /// It is `@unchecked` because of the handle, which is written by the initializer and then only
  /// read.
  final class CurlURL: @unchecked Sendable {
    let handle: UnsafeMutableRawPointer
    private let library: CurlLibrary

    /// - Returns: nil if libcurl refuses the URL. It reports the reason when it gets the text.
    init?(_ text: String, _ library: CurlLibrary) {
      guard let handle = library.api.pointee.url_init() else { return nil }
      self.handle = handle
      self.library = library
      let flags = UInt32(CCURLU_PATH_AS_IS | CCURLU_DISALLOW_USER)
      // A string passed directly would be copied for the call.
      let code = text.withCString {
        library.api.pointee.url_set(handle, Int32(CCURLUPART_URL), $0, flags)
      }
      if code != 0 { return nil }
    }

    deinit { library.api.pointee.url_cleanup(handle) }
  }
#endif
